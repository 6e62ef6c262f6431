/* PCA9685 boards behind /dev/i2c-1, for a process started with this library in LD_PRELOAD.
 *
 * The boards live in a file that all processes map, so they outlive a driver that is killed, as real ones do. Tests load
 * the same library to make the file, to set faults and to look at outputs; every transaction goes into a log.
 */
#define _GNU_SOURCE
#include "chip.h"
#include "pins.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BOARDS = 62, LOGGED_BYTES = 72 };

/* Faults are set by tests at any time. */
struct world {
    pthread_mutex_t lock;
    int32_t oe_pin;
    uint32_t count, ns_per_bit, nack_ppm, tear_ppm, hang_ms, hang_for_ever, random, opened;
    uint64_t transactions, bytes;
    struct board board[MAX_BOARDS];
};

struct entry {
    double begun, ended;
    int32_t pid, error;
    uint16_t written, read;
    uint8_t address, data[LOGGED_BYTES], pad[11];
};

static struct world *world;
static int log_fd = -1;
static int bus_fd[64];
static uint16_t slave[1024];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_ns(uint64_t ns) {
    struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
    while (nanosleep(&t, &t) == -1 && errno == EINTR) {
    }
}

static uint32_t chance(void) { /* xorshift, 0 to 999999 */
    world->random ^= world->random << 13;
    world->random ^= world->random >> 17;
    world->random ^= world->random << 5;
    return world->random % 1000000u;
}

static void lock(void) {
    /* A process may have been killed in a transaction. */
    if (pthread_mutex_lock(&world->lock) == EOWNERDEAD) {
        pthread_mutex_consistent(&world->lock);
    }
}

static void unlock(void) { pthread_mutex_unlock(&world->lock); }

/* --- the bus */

static void note(const struct entry *entry) {
    if (log_fd < 0) {
        return;
    }
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    if (real(log_fd, entry, sizeof *entry) < 0) {
        abort();
    }
}

/* One transfer from START to STOP; returns 0 or an errno. */
static int transfer(uint8_t address, const uint8_t *out, size_t written, uint8_t *in, size_t wanted) {
    struct entry entry = { .begun = now(), .pid = getpid(), .written = (uint16_t)written, .read = (uint16_t)wanted,
                           .address = address };
    memcpy(entry.data, out, written < LOGGED_BYTES ? written : LOGGED_BYTES);
    lock();
    uint32_t hang_ms = world->hang_ms;
    world->hang_ms = 0;
    int hangs = hang_ms != 0 || world->hang_for_ever;
    unlock();
    pause_ns((uint64_t)hang_ms * 1000000u);
    while (world->hang_for_ever) {
        pause_ns(1000000u);
    }
    lock();
    size_t bytes = (written || !wanted ? 1 + written : 0) + (wanted ? 1 + wanted : 0), taken = 0;
    int listeners = 0;
    for (uint32_t i = 0; i < world->count; i++) {
        world->board[i].listening = (uint8_t)chip_answers(&world->board[i], address);
        listeners += world->board[i].listening;
    }
    int nack = listeners == 0 || chance() < world->nack_ppm;
    size_t limit = chance() < world->tear_ppm ? chance() % (written + 1) : written;
    int torn = limit < written, stopped = !torn || chance() % 2;
    if (hangs) {
        entry.error = ETIMEDOUT;
    } else if (nack) {
        entry.error = EREMOTEIO;
        bytes = 1;
    } else {
        entry.error = torn ? EIO : 0;
        for (; taken < limit; taken++) {
            for (uint32_t i = 0; i < world->count; i++) {
                struct board *b = &world->board[i];
                if (b->listening && taken == 0) {
                    b->pointer = out[0];
                } else if (b->listening) {
                    chip_put(b, b->pointer, out[taken]);
                    chip_step(b);
                }
            }
        }
        for (size_t k = 0; !torn && k < wanted; k++) {
            in[k] = 0xFF;
            for (uint32_t i = 0; i < world->count; i++) {
                struct board *b = &world->board[i];
                if (b->listening) {
                    in[k] &= b->pointer >= ALL_LED && b->pointer <= ALL_LED_END ? 0 : b->reg[b->pointer];
                    chip_step(b);
                }
            }
        }
        for (uint32_t i = 0; stopped && i < world->count; i++) {
            chip_stop(&world->board[i]);
        }
    }
    world->transactions++;
    world->bytes += entry.error ? 0 : bytes;
    unlock();
    pause_ns((uint64_t)bytes * 9 * world->ns_per_bit);
    entry.ended = now();
    note(&entry);
    return entry.error;
}

/* --- what tests call */

static int attach(const char *path, int create) {
    int fd = open(path, O_RDWR | (create ? O_CREAT | O_TRUNC : 0) | O_CLOEXEC, 0600);
    if (fd < 0 || (create && ftruncate(fd, sizeof *world) != 0)) {
        return -1;
    }
    void *at = mmap(NULL, sizeof *world, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED) {
        return -1;
    }
    world = at;
    return 0;
}

struct world *boards_create(const char *path, const uint8_t *addresses, uint32_t count) {
    if (count > MAX_BOARDS || attach(path, 1) != 0) {
        return NULL;
    }
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&world->lock, &shared);
    world->count = count;
    world->oe_pin = -1;
    world->random = 2463534242u;
    world->ns_per_bit = 2500;
    for (uint32_t i = 0; i < count; i++) {
        world->board[i].address = addresses[i];
        chip_power_up(&world->board[i]);
    }
    return world;
}

enum { NACK_PPM, TEAR_PPM, HANG_MS, HANG_FOR_EVER, NS_PER_BIT, OPENED };

static uint32_t *field(struct world *w, int which) {
    uint32_t *fields[] = { &w->nack_ppm, &w->tear_ppm, &w->hang_ms, &w->hang_for_ever, &w->ns_per_bit, &w->opened };
    return fields[which];
}

void boards_set(struct world *w, int which, uint32_t value) { *field(w, which) = value; }
uint32_t boards_get(struct world *w, int which) { return *field(w, which); }

static struct board *board_at(struct world *w, uint8_t address) {
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->board[i].address == address) {
            return &w->board[i];
        }
    }
    return NULL;
}

void boards_kill(struct world *w, uint8_t address, int dead) { board_at(w, address)->dead = (uint8_t)dead; }

void boards_brown_out(struct world *w, uint8_t address) {
    world = w;
    lock();
    chip_power_up(board_at(w, address));
    unlock();
}

void boards_limit(struct world *w, uint8_t address, int channel, uint16_t shortest, uint16_t longest) {
    board_at(w, address)->shortest[channel] = shortest;
    board_at(w, address)->longest[channel] = longest;
}

/* OE of all boards is wired to this pin, with a resistor to the supply. */
void boards_wire_oe(struct world *w, int pin) {
    w->oe_pin = pin;
    pins_wire(pin, WIRE_PULLED_UP);
}

int boards_counts(struct world *w, uint8_t address, int channel) {
    return w->oe_pin >= 0 && pins_high(w->oe_pin) ? 0 : chip_counts(board_at(w, address), channel);
}

int boards_register(struct world *w, uint8_t address, int reg) { return board_at(w, address)->reg[reg]; }
uint32_t boards_violations(struct world *w, uint8_t address) { return board_at(w, address)->violations; }

/* --- what the driver's process calls */

static int is_bus(int fd) { return fd >= 0 && fd < (int)(sizeof slave / sizeof *slave) && bus_fd[fd / 32] >> (fd % 32) & 1; }

static int open_bus(void) {
    static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open64");
    pthread_mutex_lock(&once);
    const char *path = getenv("I2C_BOARDS"), *log = getenv("I2C_BOARDS_LOG");
    if (world == NULL && (path == NULL || attach(path, 0) != 0)) {
        pthread_mutex_unlock(&once);
        errno = ENOENT;
        return -1;
    }
    if (log != NULL && log_fd < 0) {
        log_fd = real(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    }
    world->opened++;
    int fd = real("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fd < (int)(sizeof slave / sizeof *slave)) {
        bus_fd[fd / 32] |= 1 << (fd % 32);
        slave[fd] = 0;
    }
    pthread_mutex_unlock(&once);
    return fd;
}

#define OPEN(name)                                                     \
    int name(const char *path, int flags, ...) {                       \
        va_list rest;                                                  \
        va_start(rest, flags);                                         \
        mode_t mode = va_arg(rest, mode_t);                            \
        va_end(rest);                                                  \
        if (strcmp(path, "/dev/i2c-1") == 0) {                         \
            return open_bus();                                         \
        }                                                              \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
        char instead[512];                                             \
        int fd = real(pins_instead_of(path, instead, sizeof instead), flags, mode); \
        pins_opened(path, fd);                                         \
        return fd;                                                     \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    if (is_bus(fd)) {
        bus_fd[fd / 32] &= ~(1 << (fd % 32));
    }
    return real(fd);
}

static long result(int error, long value) {
    if (error != 0) {
        errno = error;
        return -1;
    }
    return value;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL) {
        real = dlsym(RTLD_NEXT, "write");
    }
    return is_bus(fd) ? result(transfer((uint8_t)slave[fd], bytes, count, NULL, 0), (long)count) : real(fd, bytes, count);
}

ssize_t read(int fd, void *bytes, size_t count) {
    static ssize_t (*real)(int, void *, size_t);
    if (real == NULL) {
        real = dlsym(RTLD_NEXT, "read");
    }
    uint8_t none = 0;
    return is_bus(fd) ? result(transfer((uint8_t)slave[fd], &none, 0, bytes, count), (long)count) : real(fd, bytes, count);
}

/* Writes first, then at most one read: what the BCM2835's driver takes. */
static int combined(const struct i2c_rdwr_ioctl_data *data) {
    if (data->nmsgs == 2 && !(data->msgs[0].flags & I2C_M_RD) && (data->msgs[1].flags & I2C_M_RD)) {
        const struct i2c_msg *m = data->msgs;
        return (int)result(transfer((uint8_t)m[0].addr, m[0].buf, m[0].len, m[1].buf, m[1].len), 2);
    }
    uint8_t none = 0;
    for (uint32_t i = 0; i < data->nmsgs; i++) {
        const struct i2c_msg *m = &data->msgs[i];
        int reads = m->flags & I2C_M_RD;
        int error = transfer((uint8_t)m->addr, reads ? &none : m->buf, reads ? 0 : m->len, reads ? m->buf : NULL,
                             reads ? m->len : 0);
        if (error != 0) {
            return (int)result(error, 0);
        }
    }
    return (int)data->nmsgs;
}

static int smbus(uint8_t address, const struct i2c_smbus_ioctl_data *data) {
    union i2c_smbus_data *value = data->data;
    uint8_t out[34] = { data->command };
    int reads = data->read_write == I2C_SMBUS_READ;
    switch (data->size) {
    case I2C_SMBUS_BYTE:
        return (int)result(reads ? transfer(address, out, 0, &value->byte, 1) : transfer(address, out, 1, NULL, 0), 0);
    case I2C_SMBUS_BYTE_DATA:
        out[1] = reads ? 0 : value->byte;
        return (int)result(reads ? transfer(address, out, 1, &value->byte, 1) : transfer(address, out, 2, NULL, 0), 0);
    case I2C_SMBUS_WORD_DATA:
        memcpy(out + 1, &value->word, 2);
        return (int)result(reads ? transfer(address, out, 1, value->block, 2) : transfer(address, out, 3, NULL, 0), 0);
    case I2C_SMBUS_I2C_BLOCK_DATA:
        memcpy(out + 1, value->block + 1, value->block[0]);
        return (int)result(reads ? transfer(address, out, 1, value->block + 1, value->block[0])
                                 : transfer(address, out, 1u + value->block[0], NULL, 0), 0);
    default:
        return (int)result(EOPNOTSUPP, 0);
    }
}

int ioctl(int fd, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    int of_pins = pins_ioctl(fd, request, argument);
    if (of_pins >= 0) {
        return (int)result(of_pins, 0);
    }
    if (!is_bus(fd)) {
        int (*real)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
        return real(fd, request, argument);
    }
    switch (request) {
    case I2C_FUNCS:
        *(unsigned long *)argument = I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
        return 0;
    case I2C_SLAVE:
    case I2C_SLAVE_FORCE:
        slave[fd] = (uint16_t)(uintptr_t)argument;
        return slave[fd] > 0x7F ? (int)result(EINVAL, 0) : 0;
    case I2C_RDWR:
        return combined(argument);
    case I2C_SMBUS:
        return smbus((uint8_t)slave[fd], argument);
    default: /* timeout, retries, ten-bit addresses, PEC */
        return 0;
    }
}
