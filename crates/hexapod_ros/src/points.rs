//! The points of a `sensor_msgs/PointCloud2`.

use r2r::sensor_msgs::msg::{PointCloud2, PointField};
use std::fmt;

/// `sensor_msgs/PointField`'s number for 32-bit floats.
const FLOAT32: u8 = 7;

/// Why a cloud is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CloudRefused {
    /// It has no such field, or not as one 32-bit float within a point.
    Field(&'static str),
    /// Its points do not lie within its data.
    Size {
        /// Bytes that its layout asks for.
        wanted: u64,
        /// Bytes that it has.
        has: usize,
    },
}

impl fmt::Display for CloudRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, "the cloud has no field {name:?} of one FLOAT32 within each point"),
            Self::Size { wanted, has } => write!(
                f,
                "the cloud's height, width, row_step and point_step ask for {wanted} bytes of data; it has {has}"
            ),
        }
    }
}

/// Reads the points of a cloud into `points`, in place of what is there: at most `most`, evenly chosen from all, those whose
/// coordinates are finite.
///
/// # Errors
/// What of its layout does not hold.
pub fn cloud_points(cloud: &PointCloud2, most: usize, points: &mut Vec<[f32; 3]>) -> Result<(), CloudRefused> {
    cloud_values(cloud, ["x", "y", "z"], most, points)
}

/// The same with any fields, of which the first three are the coordinates; the others may be NaN.
///
/// # Errors
/// What of its layout does not hold.
pub fn cloud_values<const N: usize>(
    cloud: &PointCloud2,
    names: [&'static str; N],
    most: usize,
    points: &mut Vec<[f32; N]>,
) -> Result<(), CloudRefused> {
    points.clear();
    let (step, width) = (cloud.point_step as usize, cloud.width as usize);
    let mut at = [0; N];
    for (at, name) in at.iter_mut().zip(names) {
        *at = offset(&cloud.fields, name, step).ok_or(CloudRefused::Field(name))?;
    }
    let total = u64::from(cloud.width) * u64::from(cloud.height);
    if total == 0 {
        return Ok(());
    }
    let row = u64::from(cloud.width) * u64::from(cloud.point_step);
    let wanted = u64::from(cloud.height - 1) * u64::from(cloud.row_step) + row;
    if (cloud.height > 1 && u64::from(cloud.row_step) < row) || wanted > cloud.data.len() as u64 {
        return Err(CloudRefused::Size { wanted, has: cloud.data.len() });
    }
    // One point in so many. Of a picture as wide as a multiple of that, these are whole columns.
    let every = total.div_ceil(most.max(1) as u64) as usize;
    let read = |offset: usize| {
        let bytes = cloud.data.get(offset..offset.checked_add(4)?)?.try_into().ok()?;
        Some(if cloud.is_bigendian { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) })
    };
    let places = (0..total as usize).step_by(every).map(|n| {
        let (line, column) = (n / width, n % width);
        line * cloud.row_step as usize + column * step
    });
    points.extend(places.filter_map(|place| {
        let mut values = [0.0; N];
        for (value, offset) in values.iter_mut().zip(at) {
            *value = read(place + offset)?;
        }
        values.iter().take(3).all(|value| value.is_finite()).then_some(values)
    }));
    Ok(())
}

/// Where a field of one 32-bit float begins in a point.
fn offset(fields: &[PointField], name: &str, step: usize) -> Option<usize> {
    let field = fields.iter().find(|field| field.name == name)?;
    let (offset, is_one) = (field.offset as usize, field.datatype == FLOAT32 && field.count <= 1);
    (is_one && offset.checked_add(4)? <= step).then_some(offset)
}

/// A cloud whose points have these fields, each of one 32-bit float, and no points yet; see [`push_point`].
#[must_use]
pub fn blank_cloud(fields: &[&str]) -> PointCloud2 {
    let field = |(number, name): (usize, &&str)| PointField {
        name: (*name).into(),
        offset: 4 * number as u32,
        datatype: FLOAT32,
        count: 1,
    };
    PointCloud2 {
        height: 1,
        fields: fields.iter().enumerate().map(field).collect(),
        point_step: 4 * fields.len() as u32,
        is_dense: true,
        ..PointCloud2::default()
    }
}

/// Takes all points out of a cloud of [`blank_cloud`], and keeps the memory.
pub fn clear_points(cloud: &mut PointCloud2) {
    cloud.data.clear();
    (cloud.width, cloud.row_step) = (0, 0);
}

/// Adds a point to a cloud of [`blank_cloud`], with a value for each of its fields.
pub fn push_point(cloud: &mut PointCloud2, values: &[f32]) {
    values.iter().for_each(|value| cloud.data.extend(value.to_le_bytes()));
    cloud.width += 1;
    cloud.row_step += cloud.point_step;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(points: &[[f32; 3]]) -> PointCloud2 {
        let mut cloud = blank_cloud(&["x", "y", "z"]);
        points.iter().for_each(|point| push_point(&mut cloud, point));
        cloud
    }

    fn read(cloud: &PointCloud2, most: usize) -> Result<Vec<[f32; 3]>, CloudRefused> {
        let mut points = vec![[9.0; 3]];
        cloud_points(cloud, most, &mut points).map(|()| points)
    }

    #[test]
    fn when_a_cloud_is_written_and_read_expect_its_finite_points() {
        let points = [[1.0, 2.0, 3.0], [f32::NAN, 0.0, 0.0], [4.0, -5.0, f32::INFINITY], [-7.0, 8.5, 9.0]];
        assert_eq!(read(&cloud(&points), 10), Ok(vec![points[0], points[3]]));
        assert_eq!(read(&cloud(&[]), 10), Ok(vec![]));
    }

    #[test]
    fn when_a_cloud_is_larger_than_asked_for_expect_points_of_all_of_it() {
        let points: Vec<_> = (0..1000).map(|n| [n as f32, 0.0, 0.0]).collect();
        let chosen = read(&cloud(&points), 100).unwrap();
        assert_eq!((chosen.len(), chosen[0][0], chosen[99][0]), (100, 0.0, 990.0));
        assert!(read(&cloud(&points), 0).unwrap().len() == 1);
    }

    #[test]
    fn when_a_cloud_has_rows_other_fields_and_another_byte_order_expect_the_same_points() {
        let mut cloud = blank_cloud(&["intensity", "z", "y", "x"]);
        (cloud.height, cloud.width, cloud.row_step, cloud.is_bigendian) = (2, 1, 20, true);
        for row in [[0.5_f32, 3.0, 2.0, 1.0, 0.0], [0.5, 6.0, 5.0, 4.0, 0.0]] {
            row.iter().for_each(|value| cloud.data.extend(value.to_be_bytes()));
        }
        assert_eq!(read(&cloud, 10), Ok(vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]));
    }

    #[test]
    fn when_other_fields_are_asked_for_too_expect_their_values_also_where_they_are_nan() {
        let mut cloud = blank_cloud(&["x", "y", "z", "score"]);
        [[1.0, 2.0, 3.0, 0.5], [4.0, 5.0, 6.0, f32::NAN]].iter().for_each(|point| push_point(&mut cloud, point));
        let mut points = vec![];
        assert_eq!(cloud_values(&cloud, ["x", "y", "z", "score"], 10, &mut points), Ok(()));
        assert!(points[0] == [1.0, 2.0, 3.0, 0.5] && points[1][3].is_nan());
    }

    #[test]
    fn when_a_layout_does_not_hold_expect_it_refused_and_nothing_read_beyond_the_data() {
        let good = || cloud(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let spoilt = |spoil: fn(&mut PointCloud2)| {
            let mut cloud = good();
            spoil(&mut cloud);
            read(&cloud, 10).unwrap_err().to_string()
        };
        assert!(spoilt(|cloud| cloud.fields[2].name = "depth".into()).contains("\"z\""));
        assert!(spoilt(|cloud| cloud.fields[0].datatype = 8).contains("\"x\""));
        assert!(spoilt(|cloud| cloud.fields[1].offset = u32::MAX).contains("\"y\""));
        assert!(spoilt(|cloud| cloud.fields[1].offset = 9).contains("\"y\""));
        assert!(spoilt(|cloud| cloud.width = 3).contains("36 bytes of data; it has 24"));
        assert!(spoilt(|cloud| (cloud.width, cloud.height) = (u32::MAX, u32::MAX)).contains("bytes"));
        assert!(spoilt(|cloud| (cloud.width, cloud.height, cloud.row_step) = (1, 2, 4)).contains("row_step"));
        assert!(spoilt(|cloud| cloud.data.truncate(23)).contains("it has 23"));
    }
}
