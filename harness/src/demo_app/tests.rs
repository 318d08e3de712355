//! The application asked without a socket.

use super::*;
use axum::{
    body::Body,
    http::{Request, Response, StatusCode, header},
};
use http_body_util::BodyExt;
use tower::util::ServiceExt;

async fn send(app: &InMemory, request: Request<Body>) -> Response<Body> {
    app.router.clone().oneshot(request).await.unwrap()
}

async fn get(app: &InMemory, path: &str) -> Response<Body> {
    send(app, Request::get(path).header(header::HOST, "demo.test").body(Body::empty()).unwrap()).await
}

async fn post(app: &InMemory, path: &str, form: &str) -> Response<Body> {
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Body::from(form.to_owned()))
        .unwrap();
    send(app, request).await
}

async fn bytes(response: Response<Body>) -> Vec<u8> {
    response.into_body().collect().await.unwrap().to_bytes().to_vec()
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(bytes(response).await).unwrap()
}

#[tokio::test]
async fn each_link_of_the_index_leads_somewhere() {
    let app = in_memory();
    let index = text(get(&app, "/").await).await;
    let links: Vec<_> = index.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), 18);
    for link in links.into_iter().filter(|link| *link != "slow") {
        let status = get(&app, &format!("/{link}")).await.status();
        assert!(status.is_success() || status.is_redirection(), "{link}: {status}");
    }
}

#[tokio::test]
async fn no_page_has_an_absolute_address_of_its_own_or_an_unfilled_place() {
    let app = in_memory();
    for path in
        ["/", "/customer", "/customer/1001", "/menu", "/foreign", "/login", "/sjis", "/select", "/controls"]
    {
        let page = String::from_utf8_lossy(&bytes(get(&app, path).await).await).into_owned();
        assert!(!page.contains("{{"), "{path} has an unfilled place");
        assert!(!page.contains("href=\"/") && !page.contains("action=\"/"), "{path} has a rooted address");
    }
}

#[tokio::test]
async fn customer_search_is_in_quirks_mode_of_ie5() {
    let page = text(get(&in_memory(), "/customer").await).await;
    assert!(page.starts_with("<html>"), "no doctype");
    assert!(page.contains("<meta http-equiv=\"X-UA-Compatible\" content=\"IE=5\">"));
}

#[tokio::test]
async fn each_order_counts_once_and_gets_its_own_number() {
    let app = in_memory();
    let first = post(&app, "/order", "item=A-1&quantity=2").await;
    let second = post(&app, "/order", "item=A-1&quantity=2").await;
    assert_eq!(
        (first.status(), &first.headers()[header::LOCATION]),
        (StatusCode::SEE_OTHER, &"order/done/1".parse().unwrap())
    );
    assert_eq!(second.headers()[header::LOCATION], "order/done/2");
    assert_eq!(app.counters().orders, 2);
}

#[tokio::test]
async fn login_asks_for_the_password_and_home_for_the_cookie() {
    let app = in_memory();
    assert_eq!(get(&app, "/home").await.headers()[header::LOCATION], "login");
    assert!(text(post(&app, "/login", "user=yamada&password=wrong").await).await.contains("違います"));
    let form = format!("user={LOGIN_USER}&password={LOGIN_PASSWORD}");
    let entered = post(&app, "/login", &form).await;
    let cookie =
        entered.headers()[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    let request = Request::get("/home").header(header::COOKIE, cookie).body(Body::empty()).unwrap();
    assert!(text(send(&app, request).await).await.contains("ようこそ yamada さん"));
    assert_eq!((app.counters().logins, app.counters().refused_logins), (1, 1));
}

#[tokio::test]
async fn shift_jis_page_is_shift_jis_in_both_directions() {
    let response = get(&in_memory(), "/sjis?product=%83%7B%83%8B%83%67").await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/html", "only the page names its charset");
    let page = bytes(response).await;
    assert!(std::str::from_utf8(&page).is_err(), "the bytes are not UTF-8");
    let (page, _, broken) = encoding_rs::SHIFT_JIS.decode(&page);
    assert!(!broken);
    assert!(page.contains("①㈱髙﨑～表示") && page.contains("ボルト: 3 件"), "{page}");
}

#[tokio::test]
async fn controls_are_four_hundred() {
    let page = text(get(&in_memory(), "/controls").await).await;
    assert_eq!(page.matches("<input").count() + page.matches("<button").count(), 400);
}

#[tokio::test]
async fn beacons_are_counted_by_name() {
    let app = in_memory();
    for _ in 0..3 {
        assert_eq!(get(&app, "/hit/key?n=1").await.status(), StatusCode::NO_CONTENT);
    }
    assert_eq!((app.counters().hit("key"), app.counters().hit("click")), (3, 0));
}

#[tokio::test]
async fn what_a_visitor_sends_is_escaped() {
    let page = text(post(&in_memory(), "/iframe/form", "code=%3Cb%3E&quantity=1&kind=in").await).await;
    assert!(page.contains("&lt;b&gt;"), "{page}");
}

#[tokio::test]
async fn another_origin_is_another_name_of_the_same_application() {
    let app = in_memory();
    assert_eq!(get(&app, "/elsewhere").await.headers()[header::LOCATION], "http://other.test/other");
    let loopback =
        Request::get("/elsewhere").header(header::HOST, "127.0.0.1:81").body(Body::empty()).unwrap();
    assert_eq!(send(&app, loopback).await.headers()[header::LOCATION], "http://localhost:81/other");
}

#[tokio::test(start_paused = true)]
async fn slow_page_takes_the_time_it_is_told() {
    let app = in_memory();
    let watch = crate::clock::Stopwatch::start();
    assert!(text(get(&app, "/slow?ms=1500").await).await.contains("1500"));
    assert_eq!(watch.elapsed_ms(), 1_500);
    assert_eq!(get(&app, "/slow?ms=soon").await.status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn dropping_the_handle_frees_the_port() {
    let app = DemoApp::start().await.unwrap();
    let port = app.port;
    tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    drop(app);
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
        tokio::task::yield_now().await;
    }
}
