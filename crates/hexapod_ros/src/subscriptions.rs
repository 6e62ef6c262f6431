//! What a node listens to, and which senders that cannot hear: another type of message, or a QoS that does not go with it.

use crate::bounds;
use hexapod_rcl::Endpoint;
use r2r::QosProfile;
use r2r::qos::{DurabilityPolicy, ReliabilityPolicy};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most senders that are named at a time.
const MOST: usize = 8;

/// A subscription, as far as it decides who is heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SubscriptionInfo {
    topic: String,
    message_type: String,
    /// Asks for messages that are lost to be sent again.
    reliable: bool,
    /// Asks for messages from before it was there.
    latched: bool,
}

impl SubscriptionInfo {
    fn hears(&self, sender: &Endpoint) -> bool {
        self.message_type == sender.message_type
            && (sender.is_reliable || !self.reliable)
            && (sender.is_latched || !self.latched)
    }

    /// Why a sender is not heard, and what would be right.
    fn misses(&self, sender: &Endpoint) -> String {
        let Self { topic, message_type, .. } = self;
        let node = bounds::excerpt(sender.node.as_deref().unwrap_or("a node")).into_owned();
        let sent = bounds::excerpt(&sender.message_type);
        if sender.message_type != *message_type {
            format!("{node} publishes {topic} as {sent}, but {message_type} is expected")
        } else if self.reliable && !sender.is_reliable {
            format!("{node} publishes {topic} with best effort reliability, which is not received; use reliable")
        } else {
            format!("{node} publishes {topic} with volatile durability, which is not received; use transient local")
        }
    }
}

/// All subscriptions of a node. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subscriptions(Arc<Mutex<Vec<SubscriptionInfo>>>);

impl Subscriptions {
    /// Takes down a subscription to messages of the type `T`.
    pub fn add<T>(&self, topic: &str, qos: &QosProfile) {
        self.locked().push(SubscriptionInfo {
            topic: topic.into(),
            message_type: message_type(std::any::type_name::<T>()),
            reliable: !matches!(qos.reliability, ReliabilityPolicy::BestEffort),
            latched: matches!(qos.durability, DurabilityPolicy::TransientLocal),
        });
    }

    /// What is sent, by `senders` of a topic, and not heard.
    pub fn miss(&self, senders: impl Fn(&str) -> Vec<Endpoint>) -> Vec<String> {
        let subscriptions = self.locked().clone();
        let mut missed = vec![];
        for (index, subscription) in subscriptions.iter().enumerate() {
            if subscriptions[..index].iter().any(|before| before.topic == subscription.topic) {
                continue;
            }
            let same: Vec<_> = subscriptions.iter().filter(|each| each.topic == subscription.topic).collect();
            // A sender whose node is not known yet is looked at again.
            let known = senders(&subscription.topic).into_iter().filter(|sender| sender.node.is_some());
            missed.extend(known.filter(|s| !same.iter().any(|each| each.hears(s))).map(|s| subscription.misses(&s)));
        }
        missed.truncate(MOST);
        missed
    }

    fn locked(&self) -> MutexGuard<'_, Vec<SubscriptionInfo>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// ROS's name of a generated type: `std_msgs/msg/Bool` of `r2r::std_msgs::msg::Bool`.
fn message_type(path: &str) -> String {
    let names: Vec<&str> = path.split("::").collect();
    names[names.len().saturating_sub(3)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hexapod_rcl::Gid;
    use r2r::std_msgs::msg::Bool;

    fn sender(message_type: &str, is_reliable: bool, is_latched: bool) -> Endpoint {
        let (node, message_type) = (Some("/box".to_owned()), message_type.to_owned());
        Endpoint { node, message_type, gid: Gid([0; 16]), is_reliable, is_latched }
    }

    fn missed(subscriptions: &[QosProfile], sender: &Endpoint) -> Vec<String> {
        let all = Subscriptions::default();
        subscriptions.iter().for_each(|qos| all.add::<Bool>("stop", qos));
        all.miss(|topic| if topic == "stop" { vec![sender.clone()] } else { vec![] })
    }

    #[test]
    fn when_a_sender_does_not_suit_expect_it_named_with_what_would() {
        let reliable = QosProfile::default().reliable();
        let latched = QosProfile::default().reliable().transient_local();
        let bool_type = "std_msgs/msg/Bool";
        for (qos, sender, words) in [
            (&reliable, sender("std_msgs/msg/Int32", true, true), "as std_msgs/msg/Int32, but std_msgs/msg/Bool is"),
            (&reliable, sender(bool_type, false, false), "/box publishes stop with best effort"),
            (&latched, sender(bool_type, true, false), "with volatile durability"),
        ] {
            let missed = missed(std::slice::from_ref(qos), &sender);
            assert!(missed.len() == 1 && missed[0].contains(words), "{words}: {missed:?}");
        }
        assert!(missed(&[reliable], &sender(bool_type, true, false)).is_empty());
    }

    #[test]
    fn when_one_of_several_subscriptions_hears_a_sender_expect_no_warning() {
        let qos = || QosProfile::default();
        let subscriptions = [qos().best_effort(), qos().reliable(), qos().reliable().transient_local()];
        assert!(missed(&subscriptions, &sender("std_msgs/msg/Bool", false, false)).is_empty());
        assert_eq!(missed(&subscriptions, &sender("std_msgs/msg/Int32", false, false)).len(), 1, "reported once");
    }

    #[test]
    fn when_many_cannot_be_heard_expect_some_named() {
        let all = Subscriptions::default();
        all.add::<Bool>("stop", &QosProfile::default());
        assert_eq!(all.miss(|_| vec![sender("x/msg/Y", true, true); 1000]).len(), MOST);
    }
}
