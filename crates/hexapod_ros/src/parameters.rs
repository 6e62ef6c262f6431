//! A node's parameters: the specifications it declares and the present values, for its services and whoever else changes
//! one.
//!
//! r2r has handlers of its own, but they publish no ranges and panic when a client dies in mid-call.

use crate::bounds::{self, Burst};
use crate::clock::{RosClock, to_stamp};
use crate::pacer::monotonic_now;
use crate::parameter_messages::{bounded, description, from_message, listing, result, to_message, wanted};
use crate::publisher::Publisher;
use hexapod_config::ros_params::{ParamSpec, ParamValue, Params, check_named};
use r2r::rcl_interfaces::msg;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Asked whether a parameter may have a value that its specification allows; an `Err` refuses it with the reason.
pub type OnCheck = Box<dyn Fn(&str, &ParamValue) -> Result<(), String> + Send>;
/// Notified of a parameter's new value; an `Err` says why it cannot be taken up, and the parameter stays what it was.
pub type OnSet = Box<dyn FnMut(&str, &ParamValue) -> Result<(), String> + Send>;

/// Declared parameters and their present values.
#[derive(Clone)]
pub struct Parameters {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    specs: Vec<ParamSpec>,
    values: Params,
    on_check: Option<OnCheck>,
    on_set: Option<OnSet>,
    events: Events,
}

/// What `/parameter_events` tells of a node's parameters.
struct Events {
    /// Full name of the node.
    node: String,
    /// By which it dates what it tells.
    clock: RosClock,
    /// And since when it is there, on the monotonic clock.
    publisher: Option<(Publisher<msg::ParameterEvent>, Duration)>,
    /// Whether the parameters that it has from its start have been published.
    announced: bool,
    lines: Burst,
}

/// How long listeners may take to find a topic that has just been opened.
const FOUND_AFTER: Duration = Duration::from_millis(500);
/// Lines about changed parameters: so many at once, and so many a second from then on.
const AT_ONCE: u32 = 20;
const PER_SECOND: u32 = 1;

impl Parameters {
    /// The parameters of `specs` at `values`; one that has no value has its default.
    #[must_use]
    pub fn new(specs: Vec<ParamSpec>, values: Params) -> Self {
        let lines = Burst::new(AT_ONCE, PER_SECOND);
        let events = Events { node: String::new(), clock: RosClock::System, publisher: None, announced: false, lines };
        Self { shared: Arc::new(Mutex::new(Shared { specs, values, on_check: None, on_set: None, events })) }
    }

    /// The parameters of the node of this full name, which goes by `clock`.
    pub(crate) fn of_node(self, full_name: &str, clock: RosClock) -> Self {
        self.locked(|shared| {
            full_name.clone_into(&mut shared.events.node);
            shared.events.clock = clock;
        });
        self
    }

    /// Tells changes by `publisher` from now on.
    pub(crate) fn tell_on(&self, publisher: Publisher<msg::ParameterEvent>) {
        self.locked(|shared| shared.events.publisher = Some((publisher, monotonic_now())));
    }

    /// Tells the parameters that the node has from its start, once; a moment after the topic has opened, since those who
    /// listen have to find it first.
    pub(crate) fn announce(&self) {
        let now = monotonic_now();
        self.locked(|shared| {
            if shared.events.publisher.as_ref().is_some_and(|(_, since)| now.saturating_sub(*since) >= FOUND_AFTER) {
                shared.announce();
            }
        });
    }

    /// Takes down that a parameter has changed in another way than by the services: nobody is asked or notified but
    /// those who listen to `/parameter_events`.
    pub fn note(&self, name: &str, value: &ParamValue) {
        self.locked(|shared| {
            if let Ok((spec, value)) = check_named(&shared.specs, name, value) {
                let name = spec.name;
                if shared.value(name) != Some(&value) {
                    shared.values.insert(name, value);
                    shared.tell_changed(&[name]);
                }
            }
        });
    }

    /// Who is asked before a parameter changes.
    pub fn on_check(&self, on_check: OnCheck) {
        self.locked(|shared| shared.on_check = Some(on_check));
    }

    /// Who hears of a changed parameter.
    pub fn on_set(&self, on_set: OnSet) {
        self.locked(|shared| shared.on_set = Some(on_set));
    }

    pub(crate) fn set_all(&self, parameters: &[msg::Parameter]) -> Vec<msg::SetParametersResult> {
        match bounded(parameters) {
            Ok(()) => parameters.iter().map(|p| result(self.set_message(p))).collect(),
            // One result for all: an answer of their number would be as long as the request.
            Err(reason) => vec![result(Err(reason))],
        }
    }

    pub(crate) fn set_atomically(&self, parameters: &[msg::Parameter]) -> msg::SetParametersResult {
        if let Err(reason) = bounded(parameters) {
            return result(Err(reason));
        }
        // All are checked before the first is set.
        result(self.locked(|shared| {
            let checked: Result<Vec<_>, String> = parameters.iter().map(|p| shared.check(p)).collect();
            let (mut set, mut done) = (vec![], Ok(()));
            for (parameter, value) in parameters.iter().zip(checked?) {
                match shared.set(&parameter.name, &value) {
                    Ok(name) => set.push(name),
                    Err(reason) => done = Err(reason),
                }
                if done.is_err() {
                    break;
                }
            }
            shared.tell_changed(&set);
            done
        }))
    }

    fn set_message(&self, parameter: &msg::Parameter) -> Result<(), String> {
        self.locked(|shared| {
            let value = shared.check(parameter)?;
            let name = shared.set(&parameter.name, &value)?;
            shared.tell_changed(&[name]);
            Ok(())
        })
    }

    pub(crate) fn values(&self, names: &[String]) -> Vec<msg::ParameterValue> {
        let names = wanted(names);
        self.locked(|shared| names.iter().map(|name| shared.value(name).map(to_message).unwrap_or_default()).collect())
    }

    pub(crate) fn types(&self, names: &[String]) -> Vec<u8> {
        self.values(names).iter().map(|value| value.type_).collect()
    }

    pub(crate) fn list(&self, prefixes: &[String], depth: u64) -> msg::ListParametersResult {
        self.locked(|shared| listing(shared.specs.iter().map(|spec| spec.name), wanted(prefixes), depth))
    }

    pub(crate) fn describe(&self, names: &[String]) -> Vec<msg::ParameterDescriptor> {
        self.locked(|shared| wanted(names).iter().map(|name| shared.describe(name)).collect())
    }

    fn locked<R>(&self, work: impl FnOnce(&mut Shared) -> R) -> R {
        work(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shared {
    fn value(&self, name: &str) -> Option<&ParamValue> {
        let spec = self.specs.iter().find(|spec| spec.name == name)?;
        Some(self.values.get(spec.name).unwrap_or(&spec.default))
    }

    fn check(&self, parameter: &msg::Parameter) -> Result<ParamValue, String> {
        let value = from_message(&parameter.value)
            .ok_or_else(|| format!("`{}` cannot be unset or be an array of bytes", bounds::excerpt(&parameter.name)))?;
        let (spec, value) = check_named(&self.specs, &parameter.name, &value)?;
        let unchanged = self.value(spec.name) == Some(&value);
        if spec.read_only && !unchanged {
            return Err(format!("`{}` is fixed once the node runs; set it at the start", spec.name));
        }
        if let Some(on_check) = &self.on_check {
            on_check(spec.name, &value)?;
        }
        Ok(value)
    }

    /// Sets a parameter; returns its name.
    fn set(&mut self, name: &str, value: &ParamValue) -> Result<&'static str, String> {
        let (spec, value) = check_named(&self.specs, name, value)?;
        let name = spec.name;
        if let Some(on_set) = &mut self.on_set {
            on_set(name, &value)?;
        }
        self.values.insert(name, value);
        Ok(name)
    }

    fn announce(&mut self) {
        if self.events.announced || self.events.publisher.is_none() {
            return;
        }
        self.events.announced = true;
        let new_parameters = self.specs.iter().map(|spec| self.message(spec.name)).collect();
        self.publish(msg::ParameterEvent { new_parameters, ..Default::default() });
    }

    fn tell_changed(&mut self, names: &[&'static str]) {
        if names.is_empty() {
            return;
        }
        for name in names {
            if self.events.lines.admit(monotonic_now())
                && let Some(value) = self.value(name)
            {
                let value = bounds::excerpt(&value.to_string()).into_owned();
                tracing::info!(
                    node = crate::log::logger_name(&self.events.node).as_str(),
                    "parameter {name} set to {value}"
                );
            }
        }
        self.announce();
        let changed_parameters = names.iter().map(|name| self.message(name)).collect();
        self.publish(msg::ParameterEvent { changed_parameters, ..Default::default() });
    }

    fn message(&self, name: &str) -> msg::Parameter {
        let value = self.value(name).map(to_message).unwrap_or_default();
        msg::Parameter { name: name.into(), value }
    }

    fn publish(&self, event: msg::ParameterEvent) {
        let Some((publisher, _)) = &self.events.publisher else { return };
        let (stamp, node) = (to_stamp(self.events.clock.now()), self.events.node.clone());
        if let Err(error) = publisher.publish(&msg::ParameterEvent { stamp, node, ..event }) {
            tracing::debug!("{error}");
        }
    }

    fn describe(&self, name: &str) -> msg::ParameterDescriptor {
        match self.specs.iter().find(|spec| spec.name == name) {
            Some(spec) => description(spec),
            None => msg::ParameterDescriptor { name: bounds::excerpt(name).into(), ..Default::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Parameters {
        let specs = vec![
            ParamSpec::new("rate", 100.0, "Hz").range(10.0, 1000.0).read_only(),
            ParamSpec::new("step.height", 0.03, "m").range(0.0, 0.1),
            ParamSpec::new("gait", "tripod", "name"),
        ];
        Parameters::new(specs, Params::new())
    }

    fn double(name: &str, value: f64) -> msg::Parameter {
        msg::Parameter { name: name.into(), value: to_message(&ParamValue::Double(value)) }
    }

    #[test]
    fn when_a_value_is_bad_expect_the_reason_and_the_old_value() {
        let parameters = parameters();
        for (name, value, word) in [
            ("step.height", f64::NAN, "finite"),
            ("step.height", 0.5, "range"),
            ("rate", 50.0, "fixed"),
            ("stepheight", 0.02, "unknown"),
        ] {
            let result = &parameters.set_all(&[double(name, value)])[0];
            assert!(!result.successful && result.reason.contains(word), "{name}: {}", result.reason);
        }
        assert_eq!(parameters.values(&["step.height".into()])[0].double_value, 0.03);
        assert!(parameters.set_all(&[double("step.height", 0.02)])[0].successful);
        assert_eq!(parameters.values(&["step.height".into()])[0].double_value, 0.02);
    }

    #[test]
    fn when_a_call_is_huge_expect_a_short_refusal_and_nothing_set() {
        let parameters = parameters();
        let text = |name: &str, value: String| msg::Parameter {
            name: name.into(),
            value: to_message(&ParamValue::String(value)),
        };
        let many: Vec<_> = (0..100_000).map(|_| double("step.height", 0.02)).collect();
        let numbers = to_message(&ParamValue::DoubleArray(vec![0.0; 100_000]));
        let numbers = msg::Parameter { name: "gait".into(), value: numbers };
        for (call, word) in [
            (many, "100000 parameters are too many"),
            (vec![text("gait", "g".repeat(5_000_000))], "`gait` is too long"),
            (vec![text(&"n".repeat(5_000_000), "x".into())], "unknown parameter `nnn"),
            (vec![numbers], "`gait` is too long"),
        ] {
            let results = parameters.set_all(&call);
            let atomic = parameters.set_atomically(&call);
            assert_eq!(results.len(), 1);
            for result in [&results[0], &atomic] {
                assert!(!result.successful && result.reason.contains(word), "{word}: {}", result.reason);
                assert!(result.reason.len() < 1000, "{word}: {} bytes", result.reason.len());
            }
        }
        assert_eq!(parameters.values(&["step.height".into()])[0].double_value, 0.03);
        assert_eq!(parameters.values(&["gait".into()])[0].string_value, "tripod");
        let names = vec!["gait".to_owned(); 100_000];
        assert!(parameters.values(&names).is_empty() && parameters.describe(&names).is_empty());
        assert!(parameters.describe(&["n".repeat(5_000_000)])[0].name.len() <= 80);
    }

    #[test]
    fn when_one_of_an_atomic_set_is_bad_expect_none_taken() {
        let parameters = parameters();
        let result = parameters.set_atomically(&[double("step.height", 0.02), double("rate", 50.0)]);
        assert!(!result.successful);
        assert_eq!(parameters.values(&["step.height".into()])[0].double_value, 0.03);
    }

    #[test]
    fn when_a_value_cannot_be_taken_up_expect_the_reason_and_the_old_value() {
        let parameters = parameters();
        parameters.on_set(Box::new(|_, _| Err("the control loop takes no commands".into())));
        let result = &parameters.set_all(&[double("step.height", 0.02)])[0];
        assert!(!result.successful && result.reason.contains("control loop"), "{}", result.reason);
        assert_eq!(parameters.values(&["step.height".into()])[0].double_value, 0.03);
    }

    #[test]
    fn when_listed_and_described_expect_groups_types_and_ranges() {
        let parameters = parameters();
        let list = parameters.list(&[], 0);
        assert_eq!((list.names.len(), list.prefixes), (3, vec!["step".to_owned()]));
        assert_eq!(parameters.list(&["step".into()], 0).names, ["step.height"]);
        assert_eq!(parameters.list(&[], 1).names, ["rate", "gait"]);
        let described = &parameters.describe(&["step.height".into()])[0];
        assert_eq!((described.type_, described.floating_point_range[0].to_value), (3, 0.1));
    }
}
