//! Ids as the driver makes them.
//!
//! Owns: their form, a lower-case GUID without braces (`reference/iedriver-wire.md` section 5.1.3). Does not
//! own: what they name.

/// A new id.
pub fn guid() -> String {
    // Version 4, variant 1: what CoCreateGuid gives.
    let bits = fastrand::u128(..) & !(0xf << 76) & !(0x3 << 62) | (4 << 76) | (2 << 62);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::guid;

    #[test]
    fn ids_are_random_guids_in_lower_case() {
        let id = guid();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert!(id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{id}");
        assert_eq!((&id[14..15], id[19..20].contains(['8', '9', 'a', 'b'])), ("4", true), "{id}");
        assert_ne!(id, guid());
    }
}
