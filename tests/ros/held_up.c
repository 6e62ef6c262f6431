/* A process's network, held up: UDP packets that it sends are kept back, delayed, doubled and overtaken as the file says that
   HELD_UP names (struct network, written by the test). What was held leaves when the hold ends, in its order. There is no
   shared memory for such a process, or the middleware would take that way. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct network {
    int32_t hold, delay_us, jitter_us, doubled_ppm;
};

struct packet {
    struct packet *next;
    int fd;
    int64_t due;
    struct sockaddr_storage to;
    socklen_t to_size;
    size_t size;
    char data[];
};

static volatile struct network *network;
static struct packet *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ssize_t (*real_sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
static ssize_t (*real_sendmsg)(int, const struct msghdr *, int);

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The first packet that is due, taken out; none while a hold lasts. */
static struct packet *take(int64_t now)
{
    struct packet *found = NULL, **found_at = NULL;
    pthread_mutex_lock(&lock);
    for (struct packet **at = &first; *at && !network->hold; at = &(*at)->next) {
        if ((*at)->due <= now && (!found || (*at)->due < found->due)) {
            found = *at;
            found_at = at;
        }
    }
    if (found)
        *found_at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *deliver(void *unused)
{
    for (;;) {
        struct packet *packet = take(now_ns());
        if (!packet) {
            usleep(1000);
            continue;
        }
        real_sendto(packet->fd, packet->data, packet->size, MSG_NOSIGNAL, (struct sockaddr *)&packet->to, packet->to_size);
        free(packet);
    }
    return unused;
}

__attribute__((constructor)) static void open_network(void)
{
    pthread_t thread;
    const char *name = getenv("HELD_UP");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *network, PROT_READ, MAP_SHARED, file, 0);
    real_sendto = (ssize_t (*)(int, const void *, size_t, int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "sendto");
    real_sendmsg = (ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    if (mapped != MAP_FAILED && pthread_create(&thread, NULL, deliver, NULL) == 0)
        network = mapped;
}

int shm_open(const char *name, int flags, mode_t mode)
{
    (void)name, (void)flags, (void)mode;
    errno = EACCES;
    return -1;
}

static int is_held(const struct sockaddr *to)
{
    return network && to && to->sa_family == AF_INET && (first || network->hold || network->delay_us || network->doubled_ppm);
}

static void keep(int fd, const struct iovec *parts, size_t count, const struct sockaddr *to, socklen_t to_size)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += parts[i].iov_len;
    for (int copies = 1 + (random() % 1000000 < network->doubled_ppm); copies; copies--) {
        struct packet *packet = malloc(sizeof *packet + size), **last = &first;
        char *into = packet->data;
        for (size_t i = 0; i < count; i++, into += parts[i - 1].iov_len)
            memcpy(into, parts[i].iov_base, parts[i].iov_len);
        packet->next = NULL, packet->fd = fd, packet->size = size, packet->to_size = to_size;
        memcpy(&packet->to, to, to_size);
        int64_t late_us = network->delay_us + (network->jitter_us ? random() % network->jitter_us : 0);
        packet->due = now_ns() + 1000 * late_us;
        pthread_mutex_lock(&lock);
        while (*last)
            last = &(*last)->next;
        *last = packet;
        pthread_mutex_unlock(&lock);
    }
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t to_size)
{
    if (!is_held(to))
        return real_sendto(fd, data, size, flags, to, to_size);
    struct iovec part = { (void *)data, size };
    keep(fd, &part, 1, to, to_size);
    return (ssize_t)size;
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (!is_held(message->msg_name))
        return real_sendmsg(fd, message, flags);
    size_t size = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++)
        size += message->msg_iov[i].iov_len;
    keep(fd, message->msg_iov, message->msg_iovlen, message->msg_name, message->msg_namelen);
    return (ssize_t)size;
}
