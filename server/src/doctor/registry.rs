//! Values of the Windows registry. Owns: reading them. Does not own: their meaning.

/// Where a value stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    /// Of this user.
    User,
    /// Of the machine.
    Machine,
}

/// A number, if it is there.
#[cfg(windows)]
pub(super) fn number(root: Root, key: &str, name: &str) -> Option<u32> {
    open(root, key)?.get_value(name).ok()
}

/// A text, if it is there; an empty name is the key's own value.
#[cfg(windows)]
pub(super) fn text(root: Root, key: &str, name: &str) -> Option<String> {
    open(root, key)?.get_value(name).ok()
}

#[cfg(windows)]
fn open(root: Root, key: &str) -> Option<winreg::RegKey> {
    let root = match root {
        Root::User => winreg::enums::HKEY_CURRENT_USER,
        Root::Machine => winreg::enums::HKEY_LOCAL_MACHINE,
    };
    winreg::RegKey::predef(root).open_subkey(key).ok()
}

/// There is no registry here.
#[cfg(not(windows))]
pub(super) fn number(_: Root, _: &str, _: &str) -> Option<u32> {
    None
}

/// There is no registry here.
#[cfg(not(windows))]
pub(super) fn text(_: Root, _: &str, _: &str) -> Option<String> {
    None
}
