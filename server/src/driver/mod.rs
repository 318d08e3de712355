//! Everything that talks to or lives with IEDriverServer: the session, its commands, the cable they
//! travel on and the process behind it. The only room that names fantoccini.

pub mod cable;
