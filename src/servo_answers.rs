//! What servos on a serial line have answered.

use crate::exit::{Failure, say};
use hexapod_servo::serial::Answer;

/// What servos on a line have answered.
#[derive(Debug, Default)]
pub struct Heard {
    answers: Vec<(u8, Answer)>,
    /// How many servos were understood.
    pub servos: usize,
}

impl Heard {
    /// Takes what answers to an ID.
    pub fn take(&mut self, id: u8, answer: Answer) {
        self.servos += usize::from(matches!(answer, Answer::Servo(_)));
        self.answers.push((id, answer));
    }

    /// Whether nothing answers.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Whether any servo is of a model that is known.
    pub fn any_known(&self) -> bool {
        let is_known =
            |answer: &Answer| matches!(answer, Answer::Servo(found) if found.series.model(found.model).is_some());
        self.answers.iter().any(|(_, answer)| is_known(answer))
    }
}

/// Says what answers to each ID.
pub fn say_answers(heard: &Heard) -> Result<(), Failure> {
    for (id, answer) in &heard.answers {
        let words = match answer {
            Answer::Servo(found) => found.to_string(),
            Answer::Several => "answers twice: two servos with this ID".into(),
            Answer::Garbage => {
                "answers with bytes that make no reply: two servos with this ID, or another baud_rate".into()
            }
            Answer::Silence => continue,
        };
        say(format_args!("servo {id:>3}  {words}"))?;
    }
    Ok(())
}
