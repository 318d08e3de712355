//! The far end for a real browser: chromedriver behind the driver's wire.
//!
//! Owns: starting chromedriver and its browser, turning commands and answers into each other's form.
//! Does not own: the wire (`wire`), capability texts (`wire::capabilities`).

mod chromedriver;
mod leftovers;
mod names;
mod session;
mod translate;

pub use leftovers::{KEEPER, Profile, keep};

use crate::wire::{
    Backend, Call, DriverError, Reply, SessionReply,
    capabilities::{self, Machine},
};
use chromedriver::Chromedriver;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use session::Live;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// How the browser is found and started.
#[derive(Clone, Debug, Default)]
pub struct BridgeOptions {
    /// chromedriver's executable; found on `PATH` if none.
    pub chromedriver: Option<PathBuf>,
    /// Address of a running chromedriver instead of starting one.
    pub url: Option<String>,
    /// The browser's executable; chromedriver finds one if none.
    pub browser: Option<PathBuf>,
    /// Pairs of origin and where the browser really goes for it, `http://demo.test` and
    /// `http://127.0.0.1:8080`.
    pub map: Vec<(url::Url, url::Url)>,
    /// Executable that removes what is left when this process is killed: it is started with
    /// [`leftovers::KEEPER`] in its environment and must then call [`keep`].
    pub keeper: Option<PathBuf>,
    /// First page of a session that names none, and where Edge is said to be.
    pub machine: Machine,
}

/// A real browser behind the driver's wire.
pub struct Bridge {
    options: BridgeOptions,
    driver: Chromedriver,
    profile: Profile,
    session: Mutex<Option<Arc<Live>>>,
}

impl Bridge {
    /// Starts chromedriver; the browser starts with a session.
    ///
    /// # Errors
    /// Names what is missing and how to get it.
    pub async fn start(options: BridgeOptions) -> Result<Self, String> {
        let profile = Profile::new(options.keeper.as_deref())?;
        let driver = match &options.url {
            Some(url) => Chromedriver::at(url)?,
            None => Chromedriver::start(options.chromedriver.clone(), &profile).await?,
        };
        Ok(Self { options, driver, profile, session: Mutex::default() })
    }

    fn live(&self, id: &str) -> Option<Arc<Live>> {
        let live = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        live.clone().filter(|live| live.id == id)
    }

    async fn create(&self, body: Map<String, Value>) -> Result<Value, DriverError> {
        let granted = capabilities::grant(&body, &self.options.machine)?;
        let request = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "pageLoadStrategy": granted.page_load_strategy(),
            "timeouts": session::whole_seconds(granted.echo["timeouts"].as_object().unwrap_or(&Map::new())),
            "unhandledPromptBehavior": granted.prompt_behavior(),
            "goog:chromeOptions": self.chrome_options(),
        } } });
        let launch = |reason: String| {
            let message = format!("Unexpected error launching Internet Explorer. {reason}");
            DriverError::new("session not created", message)
        };
        let answer = self.driver.send("POST", "/session", Some(request)).await.map_err(launch)?;
        let Some(id) = answer.get("sessionId").and_then(Value::as_str) else {
            let reason = answer.get("message").and_then(Value::as_str).unwrap_or("no session id");
            return Err(launch(format!("chromedriver: {reason}")));
        };
        if !granted.start_url.is_empty() {
            let go = json!({ "url": granted.start_url });
            // A first page that does not load is no failure of the session.
            let _ = self.driver.send("POST", &format!("/session/{id}/url"), Some(go)).await;
        }
        let echo = granted.echo.clone();
        let live = Arc::new(Live::new(id, granted));
        let value = json!({ "sessionId": live.id, "capabilities": echo });
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(live);
        Ok(value)
    }

    fn chrome_options(&self) -> Value {
        let mut args = vec![
            "--headless=new".to_owned(),
            "--window-size=1280,900".to_owned(),
            "--no-first-run".to_owned(),
            "--no-proxy-server".to_owned(),
            "--disable-popup-blocking".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            format!("--user-data-dir={}", self.profile.path().join("profile").display()),
        ];
        #[cfg(unix)]
        if nix::unistd::geteuid().is_root() {
            args.push("--no-sandbox".to_owned());
        }
        let rules: Vec<String> = self
            .options
            .map
            .iter()
            .filter_map(|(origin, target)| {
                let from = format!("{}:{}", origin.host_str()?, origin.port_or_known_default()?);
                Some(format!("MAP {from} {}:{}", target.host_str()?, target.port_or_known_default()?))
            })
            .collect();
        if !rules.is_empty() {
            args.push(format!("--host-resolver-rules={}", rules.join(",")));
        }
        // Else the first navigation waits for the new-tab page, at times for 5 s.
        let prefs = json!({ "session": { "restore_on_startup": 4, "startup_urls": ["about:blank"] } });
        let mut options = json!({ "args": args, "prefs": prefs });
        if let Some(browser) = &self.options.browser {
            options["binary"] = browser.display().to_string().into();
        }
        options
    }
}

impl Backend for Bridge {
    fn new_session(&self, body: Map<String, Value>) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            match self.create(body).await {
                Ok(value) => Reply::Value(value),
                Err(error) => Reply::Error(error),
            }
        })
    }

    fn call(&self, call: Call) -> BoxFuture<'_, SessionReply> {
        Box::pin(async move {
            match self.live(call.session()) {
                Some(live) => live.run(&self.driver, call).await,
                None => Reply::Error(DriverError::new("no such window", "Unable to get browser")).into(),
            }
        })
    }

    fn end_session<'a>(&'a self, session: &str) -> BoxFuture<'a, ()> {
        let live = self.live(session);
        Box::pin(async move {
            let Some(live) = live else { return };
            let path = format!("/session/{}", live.foreign);
            if let Err(reason) = self.driver.send("DELETE", &path, None).await {
                tracing::warn!(reason, "the browser's session was not ended");
            }
            *self.session.lock().unwrap_or_else(PoisonError::into_inner) = None;
        })
    }
}
