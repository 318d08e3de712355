//! References handed to an agent (`e12`). Owns: which element and frame each one means. Does not own: finding out
//! whether the element is still there, which the driver says.

use super::selector::FramePath;
use std::collections::HashMap;

/// The element behind a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The driver's element reference: the same for the same node as long as it lives
    /// (`reference/iedriver-wire.md` section 5.1.3).
    pub element: String,
    /// The frame it is in.
    pub frame: FramePath,
}

/// All references of a session. A number is given once, so an old reference never means another element.
#[derive(Clone, Debug, Default)]
pub struct Refs {
    known: Vec<Known>,
    numbers: HashMap<String, usize>,
}

impl Refs {
    /// The reference of an element: the one it has already, or a new one.
    pub fn of(&mut self, element: &str, frame: &FramePath) -> String {
        let number = match self.numbers.get(element) {
            Some(&number) => number,
            None => {
                let number = self.known.len();
                self.known.push(Known { element: element.to_owned(), frame: frame.clone() });
                self.numbers.insert(element.to_owned(), number);
                number
            }
        };
        if let Some(known) = self.known.get_mut(number) {
            known.frame = frame.clone();
        }
        format!("e{}", number + 1)
    }

    /// What a reference means; None if it was never handed out in this session.
    pub fn get(&self, reference: &str) -> Option<&Known> {
        let number: usize = reference.strip_prefix('e')?.parse().ok()?;
        self.known.get(number.checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_means_one_element_for_its_life() {
        let mut refs = Refs::default();
        let top = FramePath::default();
        assert_eq!(refs.of("a", &top), "e1");
        assert_eq!(refs.of("b", &top), "e2");
        assert_eq!(refs.of("a", &top), "e1", "a later view gives the same");
        assert_eq!(refs.get("e2").map(|known| known.element.as_str()), Some("b"));
        for odd in ["e0", "e3", "x1", "e", "e-1", ""] {
            assert_eq!(refs.get(odd), None, "{odd}");
        }
    }
}
