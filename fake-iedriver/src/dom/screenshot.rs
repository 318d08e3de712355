//! A picture of the page.
//!
//! Owns: a PNG of the viewport with title and address on top, texts and controls at their rectangles; the
//! same page gives the same bytes. Does not own: rectangles (`layout`), cropping to one element.
//!
//! Letters come from a 3 x 5 font of capitals and digits; anything else is drawn as a frame.

use super::document::Document;
use super::layout::{Rect, VIEWPORT_HEIGHT, VIEWPORT_WIDTH, is_wide};
use super::node::NodeData;

const WIDTH: usize = VIEWPORT_WIDTH as usize;
const HEIGHT: usize = VIEWPORT_HEIGHT as usize;
/// Rows at the top for title and address.
const BAR: f64 = 32.0;
const WHITE: u8 = 255;
const GREY: u8 = 208;
const LINE: u8 = 128;
const BLACK: u8 = 0;

/// Five rows of three bits per letter, `A` to `Z`, then `0` to `9`.
const FONT: [[u8; 5]; 36] = [
    [2, 5, 7, 5, 5],
    [6, 5, 6, 5, 6],
    [3, 4, 4, 4, 3],
    [6, 5, 5, 5, 6],
    [7, 4, 6, 4, 7],
    [7, 4, 6, 4, 4],
    [3, 4, 5, 5, 3],
    [5, 5, 7, 5, 5],
    [7, 2, 2, 2, 7],
    [1, 1, 1, 5, 2],
    [5, 5, 6, 5, 5],
    [4, 4, 4, 4, 7],
    [5, 7, 7, 5, 5],
    [6, 5, 5, 5, 5],
    [2, 5, 5, 5, 2],
    [6, 5, 6, 4, 4],
    [2, 5, 5, 6, 3],
    [6, 5, 6, 5, 5],
    [3, 4, 2, 1, 6],
    [7, 2, 2, 2, 2],
    [5, 5, 5, 5, 7],
    [5, 5, 5, 5, 2],
    [5, 5, 7, 7, 5],
    [5, 5, 2, 5, 5],
    [5, 5, 2, 2, 2],
    [7, 1, 2, 4, 7],
    [7, 5, 5, 5, 7],
    [2, 6, 2, 2, 7],
    [7, 1, 7, 4, 7],
    [7, 1, 7, 1, 7],
    [5, 5, 7, 1, 1],
    [7, 4, 7, 1, 7],
    [7, 4, 7, 5, 7],
    [7, 1, 1, 1, 1],
    [7, 5, 7, 5, 7],
    [7, 5, 7, 1, 7],
];

struct Canvas {
    pixels: Vec<u8>,
}

impl Canvas {
    fn fill(&mut self, rect: Rect, colour: u8) {
        let clamp = |value: f64, limit: usize| value.clamp(0.0, limit as f64) as usize;
        let (left, right) = (clamp(rect.x, WIDTH), clamp(rect.right(), WIDTH));
        for row in clamp(rect.y, HEIGHT)..clamp(rect.bottom(), HEIGHT) {
            self.pixels[row * WIDTH + left..row * WIDTH + right].fill(colour);
        }
    }

    fn frame(&mut self, rect: Rect, colour: u8) {
        let Rect { x, y, width, height } = rect;
        for side in [
            Rect { x, y, width, height: 1.0 },
            Rect { x, y: y + height - 1.0, width, height: 1.0 },
            Rect { x, y, width: 1.0, height },
            Rect { x: x + width - 1.0, y, width: 1.0, height },
        ] {
            self.fill(side, colour);
        }
    }

    /// Writes inside a rectangle, breaking lines at its right edge.
    fn text(&mut self, rect: Rect, text: &str) {
        let (mut x, mut y) = (rect.x, rect.y + 4.0);
        for c in text.chars() {
            let width = if is_wide(c) { 14.0 } else { 7.0 };
            if x + width > rect.right() + 0.5 {
                (x, y) = (rect.x, y + 18.0);
            }
            if y + 10.0 > rect.bottom() || y > VIEWPORT_HEIGHT {
                return;
            }
            self.glyph(x, y, c, width);
            x += width;
        }
    }

    fn glyph(&mut self, x: f64, y: f64, c: char, width: f64) {
        if c.is_whitespace() || c == '\u{a0}' {
            return;
        }
        let index = match c.to_ascii_uppercase() {
            letter @ 'A'..='Z' => letter as usize - 'A' as usize,
            digit @ '0'..='9' => 26 + digit as usize - '0' as usize,
            _ if c.is_ascii() => {
                self.fill(Rect { x: x + 2.0, y: y + 8.0, width: 2.0, height: 2.0 }, BLACK);
                return;
            }
            _ => {
                self.frame(Rect { x: x + 1.0, y, width: width - 2.0, height: 10.0 }, BLACK);
                return;
            }
        };
        for (row, bits) in FONT[index].iter().enumerate() {
            for column in 0..3_u8 {
                if bits & (4 >> column) != 0 {
                    let (x, y) = (x + f64::from(column) * 2.0, y + row as f64 * 2.0);
                    self.fill(Rect { x, y, width: 2.0, height: 2.0 }, BLACK);
                }
            }
        }
    }
}

impl Document {
    /// PNG of the viewport, 1024 x 768, shades of grey. `scroll` is the page position of its corner.
    ///
    /// # Errors
    /// What the encoder says; it writes to memory only.
    pub fn screenshot(&self, scroll: (f64, f64)) -> Result<Vec<u8>, png::EncodingError> {
        let mut canvas = Canvas { pixels: vec![WHITE; WIDTH * HEIGHT] };
        let boxes = self.boxes();
        for &id in boxes.order() {
            let Some(rect) = boxes.rect(id) else { continue };
            let rect = Rect { x: rect.x - scroll.0, y: rect.y - scroll.1 + BAR, ..rect };
            match self.get(id).map(|node| node.data()) {
                Some(NodeData::Text(text)) => {
                    let shown = self.parent_element(id).is_some_and(|up| self.is_displayed(up));
                    if shown {
                        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
                        canvas.text(rect, &folded);
                    }
                }
                Some(NodeData::Element(element)) => {
                    let drawn = self.is_control(id)
                        || ["img", "iframe", "frame", "object", "embed", "td", "th"]
                            .contains(&&*element.name);
                    if !drawn || !self.is_displayed(id) {
                        continue;
                    }
                    let kind = self.control_type(id);
                    if matches!(kind, "button" | "submit" | "reset") {
                        canvas.fill(rect, GREY);
                    }
                    canvas.frame(rect, LINE);
                    if self.checked(id) {
                        canvas
                            .fill(Rect { x: rect.x + 4.0, y: rect.y + 4.0, width: 5.0, height: 5.0 }, BLACK);
                    }
                    let inside = Rect { x: rect.x + 4.0, width: (rect.width - 8.0).max(0.0), ..rect };
                    match kind {
                        "password" => {
                            let length = self.value(id).unwrap_or_default().chars().count();
                            canvas.text(inside, &"*".repeat(length));
                        }
                        "select-one" => {
                            let chosen = self.selected_options(id).first().map(|&o| self.option_text(o));
                            canvas.text(inside, &chosen.unwrap_or_default());
                        }
                        "checkbox" | "radio" | "image" | "" => {}
                        _ => canvas.text(inside, &self.value(id).unwrap_or_default()),
                    }
                }
                _ => {}
            }
        }
        canvas.fill(Rect { x: 0.0, y: 0.0, width: VIEWPORT_WIDTH, height: BAR }, GREY);
        let line = |y| Rect { x: 4.0, y, width: VIEWPORT_WIDTH - 8.0, height: 15.0 };
        canvas.text(line(0.0), &self.title());
        canvas.text(line(15.0), &self.url);
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, WIDTH as u32, HEIGHT as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&canvas.pixels)?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_a_png_that_follows_the_page() {
        let mut document = Document::parse(
            "http://h.test/",
            "<title>T</title><p>text 検索<input id=x><input type=checkbox>",
        );
        let first = document.screenshot((0.0, 0.0)).expect("png");
        assert_eq!(&first[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(first, document.screenshot((0.0, 0.0)).expect("png"));
        let x = document.by_id("x").expect("x");
        document.set_value(x, "typed");
        assert_ne!(first, document.screenshot((0.0, 0.0)).expect("png"));
    }
}
