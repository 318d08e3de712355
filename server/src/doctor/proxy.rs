//! Finding: proxy variables. The server itself never uses a proxy for the driver.

use super::Finding;

const NAME: &str = "proxy";

/// Names of the proxy variables that are set, and what is excepted.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    set: Vec<&'static str>,
    except: String,
}

pub(super) fn probe() -> Facts {
    let names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let except = ["NO_PROXY", "no_proxy"].iter().find_map(|name| std::env::var(name).ok());
    Facts { set: names.into_iter().filter(is_set).collect(), except: except.unwrap_or_default() }
}

pub(super) fn check(facts: &Facts) -> Finding {
    if facts.set.is_empty() {
        return Finding::fine(NAME, "no proxy variable is set");
    }
    let set = facts.set.join(", ");
    let covers = |host: &str| facts.except.split(',').any(|one| one.trim() == host);
    if facts.except.trim() == "*" || (covers("localhost") && covers("127.0.0.1")) {
        return Finding::fine(NAME, format!("{set} set, with this machine excepted"));
    }
    Finding::warning(
        NAME,
        format!("{set} set, without exception for this machine"),
        "Set NO_PROXY=localhost,127.0.0.1. The server goes to the driver without a proxy, other tools may not.",
    )
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn this_machine_must_be_excepted() {
        let of = |except: &str| check(&Facts { set: vec!["HTTP_PROXY"], except: except.into() }).level;
        assert_eq!(
            [of("localhost, 127.0.0.1"), of("*"), of("localhost"), of("")],
            [Level::Fine, Level::Fine, Level::Warning, Level::Warning]
        );
        assert_eq!(check(&Facts::default()).level, Level::Fine);
    }
}
