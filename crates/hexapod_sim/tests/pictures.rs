//! Ground from pictures.

use hexapod_sim::{HeightMap, PictureError};
use png::{BitDepth, ColorType, Encoder};
use proptest::prelude::*;

fn png(width: u32, height: u32, color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

#[test]
fn when_a_picture_is_grey_expect_its_first_row_to_the_left_and_its_first_column_behind() {
    let bytes = png(3, 2, ColorType::Grayscale, BitDepth::Eight, &[0, 51, 102, 153, 204, 255]);
    let map = HeightMap::from_png(&bytes, 0.1, 0.5).unwrap();
    assert_eq!(map.size(), [3, 2]);
    let row = |row| [0, 1, 2].map(|column| (map.at(column, row) * 1000.0_f64).round());
    assert_eq!((row(1), row(0)), ([0.0, 100.0, 200.0], [300.0, 400.0, 500.0]));
}

#[test]
fn when_a_picture_has_colours_expect_their_mean_and_no_transparency() {
    let points = [[255, 0, 0, 0], [255, 255, 255, 9], [0, 0, 0, 255], [30, 60, 90, 255]].concat();
    let map = HeightMap::from_png(&png(2, 2, ColorType::Rgba, BitDepth::Eight, &points), 0.1, 1.0).unwrap();
    for (column, row, height) in [(0, 1, 1.0 / 3.0), (1, 1, 1.0), (0, 0, 0.0), (1, 0, 60.0 / 255.0)] {
        assert!((map.at(column, row) - height).abs() < 1e-12, "{} m for {height} m", map.at(column, row));
    }
}

#[test]
fn when_a_picture_has_two_bits_expect_them_spread_from_black_to_white() {
    let bytes = png(4, 2, ColorType::Grayscale, BitDepth::Two, &[0b00_01_10_11, 0]);
    let map = HeightMap::from_png(&bytes, 0.1, 3.0).unwrap();
    assert_eq!([0, 1, 2, 3].map(|column| map.at(column, 1).round()), [0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn when_bytes_are_no_picture_of_ground_expect_why() {
    let small = png(1, 1, ColorType::Grayscale, BitDepth::Eight, &[7]);
    let reported = |bytes: &[u8]| HeightMap::from_png(bytes, 0.1, 1.0).unwrap_err();
    assert!(matches!(reported(b"GIF89a"), PictureError::Png(_)));
    assert!(matches!(reported(&small), PictureError::Heights(_)));
    let wide = png(3000, 2, ColorType::Grayscale, BitDepth::One, &[0; 750]);
    assert!(reported(&wide).to_string().contains("3000 by 2 points"), "{}", reported(&wide));
    let whole = png(8, 8, ColorType::Grayscale, BitDepth::Eight, &[9; 64]);
    assert!(matches!(reported(&whole[..whole.len() - 20]), PictureError::Png(_)));
    let cell = HeightMap::from_png(&whole, f64::NAN, 1.0).unwrap_err();
    assert!(matches!(cell, PictureError::Heights(_)), "{cell}");
}

proptest! {
    #[test]
    fn when_heights_go_into_16_bits_and_back_expect_them_to_a_step(
        width in 2..20u32, heights in prop::collection::vec(any::<u16>(), 40..400), greatest in 0.01..2.0f64,
    ) {
        let rows = heights.len() as u32 / width;
        prop_assume!(rows >= 2);
        let kept = &heights[..(rows * width) as usize];
        let data: Vec<u8> = kept.iter().flat_map(|height| height.to_be_bytes()).collect();
        let bytes = png(width, rows, ColorType::Grayscale, BitDepth::Sixteen, &data);
        let map = HeightMap::from_png(&bytes, 0.1, greatest).unwrap();
        for (index, &height) in kept.iter().enumerate() {
            let (column, row) = (index % width as usize, rows as usize - 1 - index / width as usize);
            let expected = greatest * f64::from(height) / 65535.0;
            prop_assert!((map.at(column, row) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn when_bytes_are_damaged_expect_an_error_or_ground_but_no_panic(at in 0..200usize, byte in any::<u8>()) {
        let mut bytes = png(8, 8, ColorType::Grayscale, BitDepth::Eight, &[9; 64]);
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = HeightMap::from_png(&bytes, 0.1, 1.0);
    }
}
