//! Requests, where they come from, and their answers.

#![allow(clippy::unwrap_used, reason = "a test says why it fails by failing")]

use crate::common::{TEST_TIMEOUT, node, system_now, until};
use hexapod_rcl::{Client, RclError, Service, WaitSet};
use r2r::QosProfile;
use r2r::std_srvs::srv::SetBool;
use std::time::Duration;

#[test]
fn when_two_clients_call_expect_each_known_and_its_own_answer() {
    let qos = QosProfile::services_default;
    let (serves, server) = node("server");
    let mut service = Service::<SetBool::Service>::create(&server, "enable", qos()).unwrap();
    let mut set = WaitSet::create(&serves).unwrap();
    set.add(&service).unwrap();
    let callers = [node("first"), node("second")];
    let mut clients =
        callers.each_ref().map(|(_, node)| Client::<SetBool::Service>::create(node, "enable", qos()).unwrap());
    until("discovery", || clients.iter().all(|client| client.requester().is_ready().unwrap()));

    let before = system_now();
    let numbers =
        clients.each_ref().map(|client| client.requester().send_request(&SetBool::Request { data: true }).unwrap());
    let mut requests = vec![];
    while requests.len() < 2 {
        assert_eq!(set.wait(Some(TEST_TIMEOUT)).unwrap(), [0]);
        requests.extend(service.take_request().unwrap());
    }
    assert!(service.take_request().unwrap().is_none());
    let graph = server.graph();
    until("the names", || requests.iter().all(|(_, info, _)| graph.node_of(info.client).unwrap().is_some()));
    let names: Vec<_> = requests.iter().map(|(_, info, _)| graph.node_of(info.client).unwrap()).collect();
    let there = graph.callers("enable").unwrap();
    assert!(
        requests.iter().all(|(_, info, _)| there.iter().any(|gid| gid.0[..12] == info.client.0[..12])),
        "{there:?}"
    );
    let (mut sorted, slack) = (names.clone(), Duration::from_millis(50));
    sorted.sort();
    assert_eq!(sorted, [Some("/first".into()), Some("/second".into())]);
    for ((request, info, id), name) in requests.into_iter().zip(names) {
        assert!(request.data && info.sent + slack >= before && info.sent <= system_now(), "{info:?}");
        assert!(info.sequence.is_some(), "{info:?}");
        let response = SetBool::Response { success: true, message: name.unwrap() };
        service.responder().respond(id, &response).unwrap();
    }
    for ((client, number), name) in clients.iter_mut().zip(numbers).zip(["/first", "/second"]) {
        let mut taken = None;
        until("the answer", || {
            taken = client.take_response().unwrap();
            taken.is_some()
        });
        let (response, answered) = taken.unwrap();
        assert_eq!((response.message.as_str(), answered), (name, number));
    }
}

#[test]
fn when_the_service_or_the_client_is_gone_expect_the_other_side_to_hear_so() {
    let (serves, server) = node("server");
    let service = Service::<SetBool::Service>::create(&server, "gone", QosProfile::services_default()).unwrap();
    let client = Client::<SetBool::Service>::create(&server, "gone", QosProfile::services_default()).unwrap();
    let requester = client.requester();
    let mut set = WaitSet::create(&serves).unwrap();
    assert_eq!((set.add(&service).unwrap(), set.add(&client).unwrap()), (0, 1));
    drop(client);
    assert!(requester.is_ready().is_ok(), "the wait set keeps it");
    drop(set);
    assert!(matches!(requester.send_request(&SetBool::Request { data: true }), Err(RclError::Gone)));
    assert!(matches!(requester.is_ready(), Err(RclError::Gone)));
    drop(service);
}
