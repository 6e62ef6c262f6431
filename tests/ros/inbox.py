"""What has come for the nodes of a test, taken from the middleware by a wait set that is kept.

rclpy's executors build a wait set, a task and a coroutine for each message. With six robots listened to on two
processors, that was most of the processor time of all tests.
"""

import time

from rclpy.impl.implementation_singleton import rclpy_implementation

NS_PER_S = 1_000_000_000


class Inbox:
    """Calls the callbacks of subscriptions and services, and ends the futures of clients, on the thread that takes."""

    def __init__(self, context, *nodes):
        """Take for these nodes. Their timers and events are not looked at."""
        self._context, self._nodes = context, nodes
        self._sizes, self._wait_set = None, None

    def take(self, timeout_s):
        """Wait until something comes, at most for so long, take all there is and return how many that were."""
        entities = [(kind, each, take) for kind, take in TAKING.items() for node in self._nodes
                    for each in getattr(node, f'{kind}s')]
        if not entities:
            time.sleep(timeout_s)
            return 0
        wait_set = self._filled(entities)
        wait_set.wait(int(timeout_s * NS_PER_S))
        ready = {kind: set(wait_set.get_ready_entities(kind)) for kind in TAKING}
        return sum(take(each) for kind, each, take in entities if each.handle.pointer in ready[kind])

    def _filled(self, entities):
        sizes = [sum(kind == each for each, _, _ in entities) for kind in TAKING]
        if sizes != self._sizes:
            subscriptions, clients, services = self._sizes = sizes
            self._wait_set = rclpy_implementation.WaitSet(subscriptions, 0, 0, clients, services, 0, self._context.handle)
        self._wait_set.clear_entities()
        for kind, each, _ in entities:
            getattr(self._wait_set, f'add_{kind}')(each.handle)
        return self._wait_set


def take_messages(subscription):
    """Call back for each message that waits and return how many those were."""
    count, with_info = 0, subscription._callback_type is subscription.CallbackType.WithMessageInfo
    while taken := subscription.handle.take_message(subscription.msg_type, subscription.raw):
        subscription.callback(*taken if with_info else taken[:1])
        count += 1
    return count


def take_answers(client):
    """End the future of each request that was answered and return how many answers came."""
    count = 0
    while (taken := client.handle.take_response(client.srv_type.Response))[0]:
        header, response = taken
        try:
            client.get_pending_request(header.request_id.sequence_number).set_result(response)
        except KeyError:
            pass  # Who asked has given up.
        count += 1
    return count


def take_requests(service):
    """Answer each request that waits and return how many those were."""
    count = 0
    while (taken := service.handle.service_take_request(service.srv_type.Request))[1]:
        request, header = taken
        service.send_response(service.callback(request, service.srv_type.Response()), header)
        count += 1
    return count


TAKING = {'subscription': take_messages, 'client': take_answers, 'service': take_requests}
