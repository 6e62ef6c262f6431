//! What the body does over its feet never takes the centre of mass out of their midst.

use crate::gait::posture::BodyOffset;
use crate::plan::stand::{MARGIN_M, Stand};
use crate::plane::grid::GRID_S;
use crate::state::State;
use crate::state::rates::BodyRates;
use nalgebra::Vector2;

/// The rates of the body over its feet, without what of its offset and sway would take the centre of mass out of the midst of its feet.
#[inline]
pub(crate) fn balanced(start: &State, stand: Option<&Stand>, rates: BodyRates) -> BodyRates {
    let Some(Stand { centre, in_body, edges }) = stand else { return rates };
    let walked = start.twist[1].velocity_at(*centre) * GRID_S;
    let now = edges.margin(*centre);
    let falls = |rates: &BodyRates| {
        let later = start.footprint_from_body_after(GRID_S, rates);
        let after = edges.margin(later.transform_point(&(*in_body).into()).coords.xy() + walked);
        after < MARGIN_M && after < now
    };
    if !falls(&rates) {
        return rates;
    }
    let swaying = BodyRates { offset: BodyOffset::default(), ..rates };
    if falls(&swaying) { BodyRates { sway: Vector2::zeros(), ..swaying } } else { swaying }
}
