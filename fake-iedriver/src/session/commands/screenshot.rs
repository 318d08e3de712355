//! Screenshots of the viewport (`reference/iedriver-wire.md` section 5.12).

use super::{Lookup, Outcome, Run};
use crate::dom::Rect;
use crate::wire::DriverError;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

/// The window's page, whatever frame has the focus. A failed picture is an empty text.
pub(super) fn viewport(run: &Run<'_>) -> Outcome {
    let window = run.window("Unable to get browser")?;
    let Some(page) = run.pages.page(window) else { return Ok("".into()) };
    Ok(picture(run, page).map(|png| STANDARD.encode(png)).unwrap_or_default().into())
}

/// The element's part of the picture.
pub(super) fn element(run: &Run<'_>) -> Outcome {
    const LOST: &str = "Could not get element of which to take a screenshot";
    let page = run.page()?;
    let at = match run.look_up(run.call.param("e").unwrap_or_default(), page) {
        Lookup::Here(node) => node,
        Lookup::Unknown => return Err(DriverError::new("no such element", LOST)),
        Lookup::Detached | Lookup::Elsewhere => {
            return Err(DriverError::new("stale element reference", LOST));
        }
    };
    let shown = run.with(at.page, |document| document.is_displayed_ignoring_opacity(at.node));
    if !shown {
        return Err(DriverError::new("element not interactable", "Element is not displayed"));
    }
    if run.pages.dialog().is_none() {
        run.pages.scroll_into_view(at, true);
    }
    let rect = run.with(at.page, |document| document.rect(at.node));
    let (left, top) = run.pages.scroll_offset(page);
    let rect = Rect { x: rect.x - left, y: rect.y - top, ..rect };
    let part = picture(run, page).and_then(|png| crop(&png, rect));
    Ok(Value::from(part.map(|png| STANDARD.encode(png)).unwrap_or_default()))
}

fn picture(run: &Run<'_>, page: u32) -> Option<Vec<u8>> {
    let scroll = run.pages.scroll_offset(page);
    run.with(page, |document| document.screenshot(scroll).ok())
}

/// The part of a picture inside a rectangle of the viewport, at least one pixel.
fn crop(picture: &[u8], rect: Rect) -> Option<Vec<u8>> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    let (width, height) = (info.width as usize, info.height as usize);
    let bytes = info.line_size / width.max(1);
    let clamp = |at: f64, most: usize| (at.max(0.0) as usize).min(most.saturating_sub(1));
    // Above the page stands a bar with title and address.
    let bar = height.saturating_sub(crate::dom::VIEWPORT_HEIGHT as usize) as f64;
    let (x, y) = (clamp(rect.x, width), clamp(rect.y + bar, height));
    let across = (rect.width.max(1.0) as usize).min(width - x);
    let down = (rect.height.max(1.0) as usize).min(height - y);
    let mut part = Vec::with_capacity(across * down * bytes);
    for row in y..y + down {
        let start = row * info.line_size + x * bytes;
        part.extend_from_slice(pixels.get(start..start + across * bytes)?);
    }
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, across as u32, down as u32);
    encoder.set_color(info.color_type);
    encoder.set_depth(info.bit_depth);
    encoder.write_header().ok()?.write_image_data(&part).ok()?;
    Some(out)
}
