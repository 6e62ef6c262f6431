//! Numbers in another unit than the one that is asked for, as they are in other tools and on data sheets.

/// Lengths below this are as likely to be centimetres as millimetres.
const CENTIMETRES: f64 = 20.0;

/// What a number that is no `unit` from `least` to `greatest` may be instead: degrees, centimetres, millimetres, milliseconds.
///
/// ```
/// use hexapod_config::units;
///
/// assert_eq!(units::slip(12.0, -1.6, 1.6, "rad").unwrap(), "in rad; did you mean degrees: 0.2094?");
/// assert_eq!(units::slip(30.0, 0.0, 0.1, "m").unwrap(), "in m; did you mean millimetres: 0.03?");
/// assert_eq!(units::slip(9.0, 0.0, 2.0, "m").unwrap(), "in m; did you mean centimetres: 0.09, or millimetres: 0.009?");
/// assert_eq!(units::slip(0.05, 0.0, 0.1, "m"), None);
/// ```
#[must_use]
pub fn slip(value: f64, least: f64, greatest: f64, unit: &str) -> Option<String> {
    let range = least..=greatest;
    let (taken_for, meant) = match unit.split('/').next()? {
        "rad" => ("degrees", value.to_radians()),
        "m" => ("millimetres", value / 1e3),
        "s" => ("milliseconds", value / 1e3),
        _ => return None,
    };
    if unit == "m"
        && (least.max(1e-9)..CENTIMETRES).contains(&value)
        && value > greatest
        && range.contains(&(value / 100.0))
    {
        let [centimetres, millimetres] = [value / 100.0, meant].map(short);
        return Some(format!("in m; did you mean centimetres: {centimetres}, or millimetres: {millimetres}?"));
    }
    let over_time = unit.split_once('/').map(|(_, time)| format!("/{time}")).unwrap_or_default();
    let fits = value.is_finite() && !range.contains(&value) && range.contains(&meant);
    fits.then(|| format!("in {unit}; did you mean {taken_for}{over_time}: {}?", short(meant)))
}

/// A number with four figures after the point at most.
#[must_use]
pub fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The unit that a description names after a comma, as in `Greatest speed of the body, m/s`.
pub(crate) fn named_in(description: &str) -> Option<&'static str> {
    const KNOWN: [&str; 9] = ["rad/s^3", "rad/s^2", "rad/s", "rad", "m/s^3", "m/s^2", "m/s", "m", "s"];
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '/' | '^'));
    let names = |unit: &str| {
        let start = description.strip_prefix("Seconds").filter(|_| unit == "s");
        start.or_else(|| description.split_once(&format!(", {unit}")).map(|(_, rest)| rest)).is_some_and(ends)
    };
    KNOWN.into_iter().find(|unit| names(unit))
}
