//! A picture as the driver gives it. Owns: reading, judging and shrinking a PNG. Does not own: taking it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use png::{BitDepth, ColorType, Transformations};

/// A PNG that could be read.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The file.
    pub png: Vec<u8>,
    /// Width in pixels of the screen.
    pub width: u32,
    /// Height in pixels of the screen.
    pub height: u32,
    /// Whether all pixels are equal: a blank page, or a picture that failed (`reference/iedriver-wire.md` section 5.12).
    pub uniform: bool,
    channels: usize,
    pixels: Vec<u8>,
}

/// Largest number of pixels that is unpacked: a screen of 16,000 by 4,000.
const MOST_PIXELS: u64 = 64_000_000;

impl Picture {
    /// Reads the text of the driver, line breaks in it ignored.
    ///
    /// # Errors
    /// A text that says what is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let folded: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        if folded.is_empty() {
            return Err("the driver gave an empty picture".into());
        }
        let png =
            BASE64_STANDARD.decode(folded).map_err(|error| format!("the picture is not base64: {error}"))?;
        let mut decoder = png::Decoder::new(std::io::Cursor::new(&png));
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder.read_info().map_err(|error| format!("the picture is no PNG: {error}"))?;
        let (width, height) = (reader.info().width, reader.info().height);
        if u64::from(width) * u64::from(height) > MOST_PIXELS {
            return Err(format!("the picture is too large: {width} by {height}"));
        }
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut pixels = vec![0; size];
        let frame =
            reader.next_frame(&mut pixels).map_err(|error| format!("the picture is damaged: {error}"))?;
        pixels.truncate(frame.buffer_size());
        let channels = frame.color_type.samples();
        let uniform = pixels.chunks_exact(channels).all(|pixel| pixel == &pixels[..channels]);
        Ok(Self { png, width, height, uniform, channels, pixels })
    }

    /// The file in base64.
    pub fn base64(&self) -> String {
        BASE64_STANDARD.encode(&self.png)
    }

    /// The picture at most so wide, each pixel the mean of those it stands for.
    ///
    /// # Errors
    /// If the PNG cannot be written.
    pub fn shrunk(self, widest: u32) -> Result<Self, String> {
        let widest = widest.max(1);
        if self.width <= widest {
            return Ok(self);
        }
        let (width, height) = (widest, scaled(self.height, widest, self.width).max(1));
        let mut pixels = Vec::with_capacity(width as usize * height as usize * self.channels);
        for y in 0..height {
            let rows = span(y, height, self.height);
            for x in 0..width {
                let columns = span(x, width, self.width);
                for channel in 0..self.channels {
                    let (mut sum, mut count) = (0_u64, 0_u64);
                    for row in rows.clone() {
                        for column in columns.clone() {
                            let at = (row * self.width as usize + column) * self.channels + channel;
                            sum += u64::from(self.pixels[at]);
                            count += 1;
                        }
                    }
                    pixels.push(u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX));
                }
            }
        }
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, width, height);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_color(match self.channels {
            1 => ColorType::Grayscale,
            2 => ColorType::GrayscaleAlpha,
            3 => ColorType::Rgb,
            _ => ColorType::Rgba,
        });
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
        written.map_err(|error| format!("the picture could not be shrunk: {error}"))?;
        Ok(Self { png, width, height, pixels, ..self })
    }
}

fn scaled(value: u32, to: u32, from: u32) -> u32 {
    u32::try_from(u64::from(value) * u64::from(to) / u64::from(from)).unwrap_or(value)
}

/// The pixels of the old line that pixel `n` of the new one stands for.
fn span(n: u32, new: u32, old: u32) -> std::ops::Range<usize> {
    let start = scaled(n, old, new) as usize;
    let end = scaled(n + 1, old, new) as usize;
    start..end.max(start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture whose left half is black and whose right half is white.
    fn halves(width: u32, height: u32) -> String {
        let row: Vec<u8> = (0..width).flat_map(|x| if x < width / 2 { [0; 3] } else { [255; 3] }).collect();
        let mut png = Vec::new();
        let mut encoder = png::Encoder::new(&mut png, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&row.repeat(height as usize)).unwrap();
        BASE64_STANDARD.encode(png)
    }

    #[test]
    fn a_picture_is_shrunk_by_means() {
        let picture = Picture::read(&halves(100, 40)).unwrap();
        assert!(!picture.uniform);
        let small = picture.shrunk(10).unwrap();
        assert_eq!((small.width, small.height), (10, 4));
        let again = Picture::read(&small.base64()).unwrap();
        assert_eq!((again.pixels[0], again.pixels[3 * 9]), (0, 255));
        let third = Picture::read(&halves(100, 40)).unwrap().shrunk(3).unwrap();
        assert!((1..255).contains(&third.pixels[3]), "the middle is grey: {:?}", third.pixels);
        assert_eq!(Picture::read(&halves(10, 4)).unwrap().shrunk(99).unwrap().width, 10);
    }

    #[test]
    fn what_is_no_picture_is_told_case_c64() {
        for (text, wrong) in [
            ("", "empty"),
            ("%%% not base64 %%%", "base64"),
            ("/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==", "no PNG"),
            (&halves(30, 30)[..60], ""),
        ] {
            let error = Picture::read(text).expect_err(text);
            assert!(error.contains(wrong), "{error}");
        }
        let broken = "iVBORw0KGgoAAAANSUhE\r\nUgAAAAQAAAAECAIAAAAm\r\nkwkpAAAAFElEQVR42mPg\r\nEpGDIwYiOP///wcAZgoG\r\ngkOd1ikAAAAASUVORK5C\r\nYII=";
        let picture = Picture::read(broken).unwrap();
        assert_eq!((picture.width, picture.height), (4, 4));
        let blank = "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAAH0lEQVR42u3BAQEAAACCIP+vbkhAAQAAAAAAAAAALwYkMAABdG+8JQAAAABJRU5ErkJggg==";
        assert!(Picture::read(blank).unwrap().uniform);
    }
}
