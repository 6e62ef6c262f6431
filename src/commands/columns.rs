//! The columns of a list of commands: their names, their units, and which of them a line gives.

use hexapod_config::ros_params::hint_for;
use hexapod_gait::{BodyOffset, Twist};
use nalgebra::{UnitQuaternion, Vector3};
use std::f64::consts::PI;

/// Each column's name and unit: when the command begins, the twist that is wanted, and where the body is wanted over its feet.
const COLUMNS: [(&str, &str); 10] = [
    ("seconds", "s"),
    ("vx", "m/s"),
    ("vy", "m/s"),
    ("wz", "rad/s"),
    ("x", "m"),
    ("y", "m"),
    ("z", "m"),
    ("roll", "rad"),
    ("pitch", "rad"),
    ("yaw", "rad"),
];
/// What the numbers of a line are where no line names them, by how many there are.
const TWIST: &[usize] = &[0, 1, 2, 3];
const TWIST_AND_HEIGHT: &[usize] = &[0, 1, 2, 3, 6];
const ALL: &[usize] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
/// The first column that is an angle of the body.
const ROLL: usize = 7;

/// The numbers of a line, one for each column: 0 where it gives none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row([f64; COLUMNS.len()]);

impl Row {
    pub fn time(&self) -> f64 {
        self.0[0]
    }

    pub fn twist(&self) -> Twist {
        Twist::new(self.0[1], self.0[2], self.0[3])
    }

    /// Turned by roll, then pitch, then yaw about the axes of the standing body, as URDF has it.
    pub fn body(&self) -> BodyOffset {
        let [.., x, y, z, roll, pitch, yaw] = self.0;
        let turn = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        BodyOffset { translation: Vector3::new(x, y, z), rotation: turn.scaled_axis() }
    }
}

/// Which columns the lines give.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// As the first line names them; none where it does not.
    named: Option<Vec<usize>>,
}

impl Columns {
    /// As the first line has them, where it names any: none where it begins with a number.
    pub fn named_by(line: &str) -> Result<Option<Self>, String> {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.first().is_none_or(|first| first.parse::<f64>().is_ok()) {
            return Ok(None);
        }
        let mut named = Vec::new();
        for cell in cells {
            let column = column(cell)?;
            if named.contains(&column) {
                return Err(format!("the column {cell} is there twice"));
            }
            named.push(column);
        }
        if !named.contains(&0) {
            return Err("there is no column seconds, which says when each command begins".into());
        }
        // Lines below these names may give the body's height, or its pose, as where there are no names.
        Ok(Some(Self { named: Some(named).filter(|named| named != TWIST) }))
    }

    /// A line's numbers.
    pub fn row(&self, line: &str) -> Result<Row, String> {
        let cells: Result<Vec<f64>, String> = line.split(',').map(number).collect();
        let cells = cells.map_err(|why| format!("{why}; {}", self.expected()))?;
        let columns = match &self.named {
            None => without_names(cells.len()),
            // What is left out at a line's end is 0, but no line is without its time.
            Some(named) => named.get(..cells.len()).filter(|given| given.contains(&0)),
        };
        let columns = columns.ok_or_else(|| {
            let plural = if cells.len() == 1 { "" } else { "s" };
            format!("{} number{plural}; {}", cells.len(), self.expected())
        })?;
        let mut row = [0.0; COLUMNS.len()];
        columns.iter().zip(cells).for_each(|(&column, number)| row[column] = number);
        match (ROLL..COLUMNS.len()).find(|&angle| row[angle].abs() > PI) {
            Some(angle) => {
                let (name, unit) = COLUMNS[angle];
                Err(format!("{name} is {}, more than half a turn; give it in {unit}", row[angle]))
            }
            None => Ok(Row(row)),
        }
    }

    /// What a line has to give.
    fn expected(&self) -> String {
        match &self.named {
            None => "give seconds,vx,vy,wz or seconds,vx,vy,wz,z or seconds,vx,vy,wz,x,y,z,roll,pitch,yaw".into(),
            Some(named) => {
                let names: Vec<&str> = named.iter().map(|&column| COLUMNS[column].0).collect();
                format!("give {}, as the first line says", names.join(","))
            }
        }
    }
}

fn without_names(count: usize) -> Option<&'static [usize]> {
    [TWIST, TWIST_AND_HEIGHT, ALL].into_iter().find(|columns| columns.len() == count)
}

fn number(cell: &str) -> Result<f64, String> {
    let cell = cell.trim();
    let number = cell.parse::<f64>().map_err(|_| format!("{cell:?} is not a number"))?;
    if number.is_finite() { Ok(number) } else { Err(format!("{cell} is not finite")) }
}

/// The column of this name, which may be followed by its unit, as in `vx (m/s)`.
fn column(cell: &str) -> Result<usize, String> {
    let (name, unit) = cell.split_once('(').map_or((cell, None), |(name, rest)| (name, Some(rest)));
    let name = name.trim();
    let Some(place) = COLUMNS.iter().position(|(known, _)| *known == name) else {
        let known = COLUMNS.map(|(known, _)| known);
        return Err(format!("there is no column {name:?}: {}", hint_for(name, &known)));
    };
    let (_, right) = COLUMNS[place];
    match unit.map(|unit| unit.trim().trim_end_matches(')').trim()) {
        Some(unit) if unit != right => Err(format!("{name} is in {right}, not in {unit:?}")),
        _ => Ok(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> Columns {
        Columns::named_by(line).unwrap().unwrap()
    }

    #[test]
    fn when_columns_are_named_expect_each_number_where_it_belongs_and_the_rest_0() {
        let row = named("seconds, pitch (rad), vx (m/s)").row("2, 0.1, 0.05").unwrap();
        assert_eq!((row.time(), row.twist()), (2.0, Twist::new(0.05, 0.0, 0.0)));
        assert_eq!(row.body(), BodyOffset { rotation: Vector3::new(0.0, 0.1, 0.0), ..BodyOffset::default() });
        let row = named("seconds,vx,vy,wz,z").row("2,0.05,0,0").unwrap();
        assert_eq!(row.body(), BodyOffset::default(), "what a line leaves out at its end");
        assert_eq!(named("seconds,vx,vy,wz").row("0,0,0,0,0.02").unwrap().body().translation.z, 0.02);
        assert!(Columns::named_by("0,0.1,0,0").unwrap().is_none());
    }

    #[test]
    fn when_the_body_turns_about_several_axes_expect_roll_pitch_and_yaw_as_urdf_has_them() {
        let body = Columns::default().row("0,0,0,0,0.01,0.02,0.03,0.1,0.2,0.3").unwrap().body();
        assert_eq!(body.translation, Vector3::new(0.01, 0.02, 0.03));
        let turn = UnitQuaternion::from_scaled_axis(body.rotation).euler_angles();
        let off = [turn.0 - 0.1, turn.1 - 0.2, turn.2 - 0.3];
        assert!(off.iter().all(|angle| angle.abs() < 1e-12), "{turn:?}");
    }

    #[test]
    fn when_names_or_numbers_do_not_hold_expect_what_is_wrong_and_what_would_be_right() {
        for (line, words) in [
            ("seconds,vx,vy,wz,hight", "there is no column \"hight\": known"),
            ("seconds,vx,vy,wz,rol", "did you mean `roll`?"),
            ("seconds,vx,vx", "vx is there twice"),
            ("vx,vy,wz", "no column seconds"),
            ("seconds,roll (deg)", "roll is in rad, not in \"deg\""),
        ] {
            let why = Columns::named_by(line).err().unwrap();
            assert!(why.contains(words), "{why}");
        }
        for (columns, line, words) in [
            (
                Columns::default(),
                "0,1,2",
                "3 numbers; give seconds,vx,vy,wz or seconds,vx,vy,wz,z or seconds,vx,vy,wz,x,",
            ),
            (Columns::default(), "0,1,2,a", "\"a\" is not a number; give"),
            (Columns::default(), "0,0,0,0,0,0,0,10,0,0", "roll is 10, more than half a turn; give it in rad"),
            (named("seconds,vx"), "0,1,2", "3 numbers; give seconds,vx, as the first line says"),
            (named("vx,seconds"), "1", "1 number; give vx,seconds"),
        ] {
            let why = columns.row(line).err().unwrap();
            assert!(why.contains(words), "{why}");
        }
    }
}
