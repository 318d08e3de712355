//! The chromedriver process and HTTP to it.
//!
//! Owns: finding and starting it, one request and its `value`. Does not own: what values mean
//! (`translate`), removing what is left (`leftovers`).

use super::leftovers::Profile;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;
use std::{path::PathBuf, process::Stdio};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// A chromedriver that is listening; a started one ends with this value.
pub(super) struct Chromedriver {
    base: String,
    client: Client<HttpConnector, Full<Bytes>>,
    _process: Option<Child>,
}

const REMEDY: &str = "install the packages chromium and chromium-driver, or name the program with FAKE_IEDRIVER_CHROMEDRIVER and the browser with FAKE_IEDRIVER_BROWSER";

impl Chromedriver {
    /// One that runs already.
    pub(super) fn at(url: &str) -> Result<Self, String> {
        url::Url::parse(url)
            .map_err(|error| format!("--bridge {url}: {error}; give chromedriver or http://HOST:PORT"))?;
        let client = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
        Ok(Self { base: url.trim_end_matches('/').to_owned(), client, _process: None })
    }

    /// Starts one on a port it chooses.
    pub(super) async fn start(program: Option<PathBuf>, profile: &Profile) -> Result<Self, String> {
        let program = program.unwrap_or_else(|| "chromedriver".into());
        // The log's path carries the mark by which leftovers are found.
        let log = format!("--log-path={}", profile.path().join("chromedriver.log").display());
        let mut process = Command::new(&program)
            .args(["--port=0", &log])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}; {REMEDY}", program.display()))?;
        let Some(stdout) = process.stdout.take() else { return Err("chromedriver without output".into()) };
        let mut lines = BufReader::new(stdout).lines();
        let port = loop {
            match lines.next_line().await {
                Ok(Some(line)) => {
                    let port = line.split("on port ").nth(1).map(|rest| rest.trim_end_matches('.'));
                    if let Some(port) =
                        port.and_then(|port| port.parse::<u16>().ok()).filter(|port| *port > 0)
                    {
                        break port;
                    }
                }
                _ => return Err(format!("{} ended before it was ready; {REMEDY}", program.display())),
            }
        };
        // Read on, or a full pipe would stop it.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self { _process: Some(process), ..Self::at(&format!("http://127.0.0.1:{port}"))? })
    }

    /// Sends one command; its `value`, whatever the status.
    pub(super) async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, String> {
        let bytes = body.map(|body| body.to_string().into_bytes()).unwrap_or_default();
        let request = http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base))
            .header("Content-Type", "application/json")
            .body(Full::new(Bytes::from(bytes)))
            .map_err(|error| error.to_string())?;
        let response =
            self.client.request(request).await.map_err(|error| format!("chromedriver: {error}"))?;
        let body = response.into_body().collect().await.map_err(|error| format!("chromedriver: {error}"))?;
        let mut answer: Value =
            serde_json::from_slice(&body.to_bytes()).map_err(|error| format!("chromedriver: {error}"))?;
        Ok(answer.get_mut("value").map(Value::take).unwrap_or_default())
    }
}
