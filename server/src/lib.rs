//! Code map follows with the first slice.
