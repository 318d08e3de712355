//! Cases of alerts, confirms and prompts.

use super::play::play;

#[tokio::test]
async fn c09_an_open_box_freezes_no_tool() {
    let Some(mut case) = play("C09").await else { return };
    let picture = &case.results[&5];
    assert!(
        picture.picture().is_some() || picture.error_code().as_deref() == Some("DIALOG_OPEN"),
        "{}",
        case.json(5)
    );
    case.proved(2);
    assert!(case.json(4)["dialog"].get("type").is_none(), "{}", case.json(4));
    case.proved(6);
    case.finish().await;
}

#[tokio::test]
async fn c11_boxes_in_a_row() {
    let Some(case) = play("C11").await else { return };
    case.finish().await;
}

#[tokio::test]
async fn c12_a_box_while_the_page_loads() {
    let Some(mut case) = play("C12").await else { return };
    assert_eq!(case.results[&6].error_code().as_deref(), Some("DIALOG_OPEN"), "{}", case.json(6));
    case.proved(2);
    case.finish().await;
}

#[tokio::test]
async fn c14_the_text_of_a_box_comes_from_its_data() {
    let Some(case) = play("C14").await else { return };
    case.finish().await;
}

#[tokio::test]
async fn c16_a_box_raised_by_choosing_an_option() {
    let Some(case) = play("C16").await else { return };
    case.finish().await;
}
