//! What each address answers.
//!
//! Owns: routes, the small amount of state they need, and when a counter rises. Does not own: how a
//! page becomes bytes (`page`).

use super::{counters::Shared, page::Page};
use crate::clock;
use axum::{
    Form, Router,
    body::Bytes,
    extract::{Multipart, Path, Query, RawQuery, Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use encoding_rs::SHIFT_JIS;
use percent_encoding::percent_decode;
use serde::Deserialize;
use std::{collections::HashMap, time::Duration};

/// The one user who may sign in.
pub const LOGIN_USER: &str = "yamada";
/// That user's password: a canary that must never be found in a recording.
pub const LOGIN_PASSWORD: &str = "Kanari-0815-geheim";

/// The longest a page may be told to take: nothing hangs for ever here.
const SLOWEST: Duration = Duration::from_secs(120);

macro_rules! page {
    ($name:literal) => {
        Page::new(include_str!(concat!("pages/", $name, ".html")))
    };
}

/// A page without placeholders.
macro_rules! plain {
    ($name:literal) => {
        get(|| async { page!($name).utf8() })
    };
}

/// The whole application.
pub(super) fn router(state: Shared) -> Router {
    Router::new()
        .route("/", plain!("index"))
        .route("/customer", plain!("customer"))
        .route("/customer/notice", plain!("customer_notice"))
        .route("/customer/{id}", get(customer_detail))
        .route("/menu", plain!("menu"))
        .route("/menu/list", plain!("menu_list"))
        .route("/menu/inner", plain!("menu_inner"))
        .route("/menu/head", plain!("menu_head"))
        .route("/menu/stock", plain!("menu_stock"))
        .route("/menu/lines", plain!("menu_lines"))
        .route("/menu/sales", plain!("menu_sales"))
        .route("/foreign", get(foreign))
        .route("/other", plain!("other"))
        .route("/iframe", plain!("iframe"))
        .route("/iframe/form", plain!("iframe_form").post(register))
        .route("/popup", plain!("popup"))
        .route("/popup/pick", plain!("popup_pick"))
        .route("/dialogs", plain!("dialogs"))
        .route("/dialogs/onload", plain!("dialogs_onload"))
        .route("/dialogs/timer", plain!("dialogs_timer"))
        .route("/dialogs/remove", post(remove))
        .route("/order", plain!("order").post(order))
        .route("/order/done/{number}", get(order_done))
        .route("/login", get(|| async { page!("login").text("message", "").utf8() }).post(login))
        .route("/home", get(home))
        .route("/logout", get(logout))
        .route("/sjis", get(product_search))
        .route("/controls", get(controls))
        .route("/select", get(select))
        .route("/states", plain!("states"))
        .route("/file", plain!("file").post(upload))
        .route("/hostile", plain!("hostile"))
        .route("/slow", get(slow))
        .route("/status/{code}", get(status))
        .route("/elsewhere", get(elsewhere))
        .route("/typing", plain!("typing"))
        .route("/hit/{what}", get(hit))
        .route("/rerender", plain!("rerender"))
        .route("/tables", plain!("tables"))
        .route("/counters", get(counters))
        .fallback(|| async { page!("status").text("code", "404").status(StatusCode::NOT_FOUND) })
        .layer(middleware::from_fn_with_state(state.clone(), count_page))
        .with_state(state)
}

async fn count_page(State(state): State<Shared>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if request.method() == Method::GET && !path.starts_with("/hit/") && path != "/counters" {
        let path = path.to_owned();
        state.count(|counters| counters.pages.entry(path).or_default());
    }
    next.run(request).await
}

/// See other: the browser gets the next page by GET, so that a refresh sends nothing again.
fn see_other(place: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, place.to_owned())]).into_response()
}

async fn customer_detail(Path(id): Path<String>) -> Response {
    let (name, branch) = match id.as_str() {
        "1001" => ("山田商事", "東京支店"),
        "1002" => ("山田製作所", "大阪支店"),
        "1003" => ("鈴木運輸", "東京支店"),
        _ => return page!("status").text("code", "404").status(StatusCode::NOT_FOUND),
    };
    page!("customer_detail").text("id", &id).text("name", name).text("branch", branch).utf8()
}

#[derive(Deserialize)]
struct Movement {
    code: String,
    quantity: String,
    kind: String,
}

async fn register(State(state): State<Shared>, Form(movement): Form<Movement>) -> Response {
    state.count(|counters| &mut counters.registrations);
    page!("iframe_done")
        .text("code", &movement.code)
        .text("quantity", &movement.quantity)
        .text("kind", &movement.kind)
        .utf8()
}

async fn remove(State(state): State<Shared>) -> Response {
    state.count(|counters| &mut counters.deletions);
    page!("dialogs_removed").utf8()
}

async fn order(State(state): State<Shared>) -> Response {
    let number = state.count(|counters| &mut counters.orders);
    see_other(&format!("order/done/{number}"))
}

async fn order_done(Path(number): Path<u64>) -> Response {
    page!("order_done").text("number", &number.to_string()).utf8()
}

#[derive(Deserialize)]
struct Credentials {
    user: String,
    password: String,
}

async fn login(State(state): State<Shared>, Form(given): Form<Credentials>) -> Response {
    if given.user == LOGIN_USER && given.password == LOGIN_PASSWORD {
        state.count(|counters| &mut counters.logins);
        ([(header::SET_COOKIE, "session=demo-session-7; Path=/; HttpOnly")], see_other("home"))
            .into_response()
    } else {
        state.count(|counters| &mut counters.refused_logins);
        page!("login").text("message", "利用者またはパスワードが違います").utf8()
    }
}

async fn home(headers: HeaderMap) -> Response {
    let cookies = headers.get(header::COOKIE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if cookies.split(';').any(|cookie| cookie.trim() == "session=demo-session-7") {
        page!("home").text("user", LOGIN_USER).utf8()
    } else {
        see_other("login")
    }
}

async fn logout() -> Response {
    ([(header::SET_COOKIE, "session=; Path=/; Max-Age=0")], see_other("login")).into_response()
}

/// The form sends its text in the page's own encoding, as old applications expect it.
async fn product_search(RawQuery(query): RawQuery) -> Response {
    let raw = query
        .as_deref()
        .unwrap_or_default()
        .split('&')
        .find_map(|pair| pair.strip_prefix("product="))
        .unwrap_or_default()
        .replace('+', " ");
    let bytes: Vec<u8> = percent_decode(raw.as_bytes()).collect();
    let (product, _, _) = SHIFT_JIS.decode(&bytes);
    let found = if product.is_empty() { String::new() } else { format!("{product}: 3 件") };
    page!("sjis").text("product", &product).text("found", &found).shift_jis()
}

/// 80 records of five controls: labelled by the cell left, the cell above, label-for, a wrapping
/// label, and a button of the same name in each.
async fn controls() -> Response {
    let rows: String =
        (1..=80).map(|n: u32| page!("controls_record").text("n", &n.to_string()).into_text()).collect();
    page!("controls").markup("rows", &rows).utf8()
}

async fn select() -> Response {
    let options: String =
        (1..=300).map(|n| format!("<option value=\"{n}\">項目 {n:03}</option>\n")).collect();
    page!("select").markup("many", &options).utf8()
}

async fn upload(State(state): State<Shared>, mut parts: Multipart) -> Response {
    let part = match parts.next_field().await {
        Ok(Some(part)) => part,
        Ok(None) => return page!("status").text("code", "400").status(StatusCode::BAD_REQUEST),
        Err(error) => return error.into_response(),
    };
    let name = part.file_name().unwrap_or_default().to_owned();
    let bytes: Bytes = match part.bytes().await {
        Ok(bytes) => bytes,
        Err(error) => return error.into_response(),
    };
    state.count(|counters| &mut counters.uploads);
    page!("file_done").text("name", &name).text("bytes", &bytes.len().to_string()).utf8()
}

async fn slow(Query(query): Query<HashMap<String, String>>) -> Response {
    let ms = query.get("ms").map_or(Ok(3_000), |text| text.parse::<u64>());
    let Ok(ms) = ms else {
        return page!("status").text("code", "400").status(StatusCode::BAD_REQUEST);
    };
    clock::pause(Duration::from_millis(ms).min(SLOWEST)).await;
    page!("slow").text("ms", &ms.to_string()).utf8()
}

/// Answers with any error status; others are not errors and get 400.
async fn status(Path(code): Path<u16>) -> Response {
    let status = StatusCode::from_u16(code)
        .ok()
        .filter(|status| status.is_client_error() || status.is_server_error())
        .unwrap_or(StatusCode::BAD_REQUEST);
    page!("status").text("code", status.as_str()).status(status)
}

/// The same application under another origin: the other name of the loopback device, or `other.test`
/// where the application goes by a name.
fn other_origin(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match host.strip_prefix("127.0.0.1") {
        Some(port) => format!("http://localhost{port}"),
        None => "http://other.test".to_owned(),
    }
}

async fn foreign(headers: HeaderMap) -> Response {
    page!("foreign").text("other", &other_origin(&headers)).utf8()
}

async fn elsewhere(headers: HeaderMap) -> Response {
    see_other(&format!("{}/other", other_origin(&headers)))
}

async fn hit(State(state): State<Shared>, Path(what): Path<String>) -> Response {
    state.count(|counters| counters.hits.entry(what).or_default());
    (StatusCode::NO_CONTENT, [(header::CACHE_CONTROL, "no-store")]).into_response()
}

async fn counters(State(state): State<Shared>) -> Response {
    let body = serde_json::to_string(&state.snapshot()).unwrap_or_default();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
