//! Command line and banner of IEDriverServer.
//!
//! Owns: the switches of the real program in all their forms, those of ours, and what is printed
//! (`reference/iedriver-wire.md` sections 1.1 to 1.5). Does not own: doing what they say (`main`).

use crate::{dom::Mode, session::Pace};
use std::fmt::Write;

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Switches {
    /// Port to listen on.
    pub port: u16,
    /// Adapter to bind; loopback if none.
    pub host: Option<String>,
    /// Level of the log, as given.
    pub log_level: Option<String>,
    /// File of the log, as given.
    pub log_file: Option<String>,
    /// Folder for the library, echoed only.
    pub extract_path: Option<String>,
    /// Addresses that may connect, echoed only.
    pub allowed: Option<String>,
    /// No banner.
    pub silent: bool,
    /// Print the version line.
    pub version: bool,
    /// Print the usage text.
    pub help: bool,
    /// Ours: four-part version that is emulated.
    pub emulate: String,
    /// Ours: `chromedriver` or the address of one.
    pub bridge: Option<String>,
    /// Ours: `ORIGIN=URL` or `ORIGIN=FOLDER`, any number.
    pub map: Vec<String>,
    /// Ours: document mode of pages that ask for none, 5 to 11.
    pub document_mode: Option<Mode>,
    /// Ours: answers take the real driver's minimal waits.
    pub pace: Pace,
    /// Ours: files of scripted failures.
    pub faults: Vec<String>,
    /// Ours: hang where the real driver hangs.
    pub real_hangs: bool,
}

/// Text of `--help` about what is ours.
const USAGE: &str = "Launches the WebDriver server for the Internet Explorer driver

IEDriverServer [/port=<port>] [/host=<host>] [/log-level=<level>]
               [/log-file=<file>] [/extract-path=<path>] [/silent]
               [/whitelisted-ips=<addresses>] [/version]

fake-iedriver adds: --bridge=chromedriver|URL   a real browser behind the wire;
                                                without it pages of its own
                    --map=ORIGIN=URL|FOLDER     where an origin really is (a
                                                folder: not with --bridge)
                    --document-mode=MODE        5, 7, 8, 9, 10 or 11 for pages
                                                that ask for none
                    --pace=ie                   the driver's minimal waits
                    --emulate=VERSION           4.14.0 (default) or 4.0.0
                    --faults=FILE               scripted failures (TOML, see below)
                    --real-hangs                hang where the real driver hangs
FAKE_IEDRIVER_ARGS holds more of them, as shell words.
FAKE_IEDRIVER_CHROMEDRIVER and FAKE_IEDRIVER_BROWSER name the bridge's programs.

Scripted failures, for example a click that acts and whose answer is lost:
  [[fault]]
  command = \"elementClick\"   name of a command, or \"*\" (default)
  except = [\"status\"]        names that \"*\" does not mean
  path = \"/element/\"         text that must occur in the path
  nth = 1                    from the nth time on (default 1)
  times = 1                  that many times (default 1; 0 is for ever)
  action = \"reset-after\"     delay {ms}, hang, hang-after, reset-before,
                             reset-after, closed-early, odd {status, body},
                             exit {code}, exit-after {code}, answer {value}
  [process]
  ignore-sigterm = true      only a kill ends it
  start = \"hang\"             never listens; or \"exit\" {exit-code},
                             or \"late\" {start-ms}
";

impl Switches {
    /// Reads switches; a later one wins, unknown ones are ignored as the real program does. Ours may
    /// also stand apart from their value (`--bridge chromedriver`).
    ///
    /// # Errors
    /// Names one of ours whose value is missing or wrong.
    pub fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut switches = Self {
            port: 5555,
            host: None,
            log_level: None,
            log_file: None,
            extract_path: None,
            allowed: None,
            silent: false,
            version: false,
            help: false,
            emulate: "4.14.0.0".into(),
            bridge: None,
            map: Vec::new(),
            document_mode: None,
            pace: Pace::Fast,
            faults: Vec::new(),
            real_hangs: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let bare = word
                .strip_prefix("--")
                .or(word.strip_prefix('-'))
                .or(word.strip_prefix('/'))
                .unwrap_or(&word);
            let (name, value) = match bare.split_once('=') {
                Some((name, value)) => (name, Some(value.trim_matches(['\'', '"']).to_owned())),
                None => (bare, None),
            };
            let name = name.to_lowercase();
            let given = value.clone().filter(|value| !value.is_empty());
            let mut ours = || given.clone().or_else(|| words.next()).ok_or(format!("--{name} needs a value"));
            match name.as_str() {
                "port" => switches.port = leading_number(value.as_deref().unwrap_or_default()),
                "host" => switches.host = given,
                "log-level" => switches.log_level = given.map(|level| level.to_uppercase()),
                "log-file" => switches.log_file = given,
                "extract-path" => switches.extract_path = given,
                "whitelisted-ips" => switches.allowed = given,
                "silent" => switches.silent = true,
                "version" | "v" => switches.version = true,
                "help" | "h" | "?" => switches.help = true,
                "emulate" => switches.emulate = four_parts(&ours()?)?,
                "bridge" => switches.bridge = Some(ours()?),
                "map" => switches.map.push(ours()?),
                "document-mode" => switches.document_mode = Some(document_mode(&ours()?)?),
                "pace" => switches.pace = pace(&ours()?)?,
                "faults" | "fault" => switches.faults.push(ours()?),
                "real-hangs" => switches.real_hangs = true,
                _ => {}
            }
        }
        Ok(switches)
    }

    /// Version and bits as `/status` and the version line have them.
    pub fn version_text(&self) -> String {
        format!("{} (32-bit)", self.emulate)
    }

    /// The answer to `--version`.
    pub fn version_line(&self) -> String {
        format!("IEDriverServer.exe {}\r\n", self.version_text())
    }

    /// The answer to `--help`.
    pub fn usage(&self) -> String {
        USAGE.replace('\n', "\r\n")
    }

    /// What is printed once the port listens.
    pub fn banner(&self, port: u16) -> String {
        let mut banner = format!(
            "Started InternetExplorerDriver server (32-bit)\r\n{}\r\nListening on port {port}\r\n",
            self.emulate
        );
        for (text, value) in [
            ("Bound to network adapter with IP address", &self.host),
            ("Log level is set to", &self.log_level),
            ("Log file is set to", &self.log_file),
            ("Library extracted to", &self.extract_path),
        ] {
            if let Some(value) = value {
                let _ = write!(banner, "{text} {value}\r\n");
            }
        }
        match &self.allowed {
            None => banner.push_str("Only local connections are allowed\r\n"),
            Some(list) => {
                let _ = write!(banner, "IP addresses allowed to connect are {list}\r\n");
            }
        }
        banner
    }

    /// What is printed when the port cannot be bound (exit code 4); it has no line end.
    pub fn start_failure(&self) -> String {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        format!(
            "Failed to start the server with: port = '{}', host = '{}', log level = '{}', log file = '{}', whitelisted ips = '{}'.",
            self.port,
            text(&self.host),
            text(&self.log_level),
            text(&self.log_file),
            text(&self.allowed)
        )
    }
}

/// As C's `_wtoi`: leading digits, garbage is 0.
fn leading_number(text: &str) -> u16 {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<u64>().map_or(0, |number| number as u16)
}

fn document_mode(text: &str) -> Result<Mode, String> {
    let mode = text.parse().ok().and_then(Mode::from_number).filter(|mode| mode.number().to_string() == text);
    mode.ok_or(format!("--document-mode {text}: give 5, 7, 8, 9, 10 or 11"))
}

fn pace(text: &str) -> Result<Pace, String> {
    match text {
        "fast" => Ok(Pace::Fast),
        "ie" => Ok(Pace::Ie),
        _ => Err(format!("--pace {text}: give fast or ie")),
    }
}

fn four_parts(version: &str) -> Result<String, String> {
    let parts: Vec<&str> = version.split('.').collect();
    let numeric = parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let supported = matches!(parts.as_slice(), ["4", "0" | "14", ..]) && (2..=4).contains(&parts.len());
    if !numeric || !supported {
        return Err(format!("--emulate {version}: give 4.14.0 or 4.0.0"));
    }
    let mut parts = parts;
    parts.resize(4, "0");
    Ok(parts.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Switches {
        Switches::parse(line.split_whitespace().map(str::to_owned)).expect("parses")
    }

    #[test]
    fn a_switch_has_many_forms() {
        for line in ["/port=4711", "--port=4711", "-PORT=4711", "port='4711'", "--port=1 --port=4711x"] {
            assert_eq!(parse(line).port, 4711, "{line}");
        }
        assert_eq!(parse("--port 4711").port, 0);
        assert_eq!(parse("--unknown --bridge chromedriver /silent").bridge.as_deref(), Some("chromedriver"));
        assert_eq!(parse("--emulate=4.0.0").version_line(), "IEDriverServer.exe 4.0.0.0 (32-bit)\r\n");
        assert_eq!(parse("--pace=ie --document-mode 5").document_mode, Some(Mode::Ie5));
        for wrong in ["--emulate=5", "--document-mode=6", "--pace=slow", "--bridge"] {
            assert!(Switches::parse([wrong.into()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_banner_names_what_was_given() {
        let banner = parse("--log-level=debug --log-file=x.log").banner(1);
        assert_eq!(
            banner,
            "Started InternetExplorerDriver server (32-bit)\r\n4.14.0.0\r\nListening on port 1\r\nLog level is set to DEBUG\r\nLog file is set to x.log\r\nOnly local connections are allowed\r\n"
        );
    }
}
