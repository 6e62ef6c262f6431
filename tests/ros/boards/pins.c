/* The pins of a Raspberry Pi 4 for a process started with this library in LD_PRELOAD: /dev/gpiomem as a file that all
 * processes map, and /dev/gpiochip0 as far as it is asked who it is. A thread of the test plays the hardware: it takes
 * what is written to the set and clear registers and keeps the level register. What a killed process has set stays, as on
 * a real Pi. Registers are those of "BCM2711 ARM Peripherals", chapter 5. */
#define _GNU_SOURCE
#include "pins.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { GPFSEL0 = 0, GPSET0 = 7, GPCLR0 = 10, GPLEV0 = 13, GPPUPPDN0 = 57, PAGE = 4096, PINS = 28 };
enum { INPUT = 0, OUTPUT = 1, PULL_UP = 1 };
static const char PI_4[] = "raspberrypi,4-model-b\0brcm,bcm2711";
static const char PI_5[] = "raspberrypi,5-model-b\0brcm,bcm2712";

static volatile uint32_t *registers;
static uint8_t wired[PINS]; /* enum wire */
static volatile double rose[PINS];
static int chip_fd = -1;
static char created[512];

static int file(char *into, size_t size, const char *boards, const char *suffix) {
    return snprintf(into, size, "%s.%s", boards, suffix) < (int)size;
}

/* --- the hardware, in the test's process */

static uint32_t mode(int pin) { return registers[GPFSEL0 + pin / 10] >> (pin % 10 * 3) & 7; }
static uint32_t pull(int pin) { return registers[GPPUPPDN0 + pin / 16] >> (pin % 16 * 2) & 3; }

static uint32_t level(int pin, uint32_t latch) {
    if (mode(pin) == OUTPUT) {
        return latch >> pin & 1;
    }
    return wired[pin] == WIRE_OPEN ? pull(pin) == PULL_UP : wired[pin] != WIRE_LOW;
}

static double monotonic(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *play(void *unused) {
    uint32_t latch = 0;
    for (unsigned round = 0;; round++) {
        if (round % 100 == 0) {
            chip_free_lines(created);
        }
        uint32_t clear = __atomic_exchange_n(&registers[GPCLR0], 0, __ATOMIC_SEQ_CST);
        uint32_t set = __atomic_exchange_n(&registers[GPSET0], 0, __ATOMIC_SEQ_CST);
        latch = (latch & ~clear) | set;
        uint32_t levels = 0;
        for (int pin = 0; pin < PINS; pin++) {
            levels |= level(pin, latch) << pin;
        }
        for (uint32_t risen = levels & ~registers[GPLEV0]; risen != 0; risen &= risen - 1) {
            rose[__builtin_ctz(risen)] = monotonic();
        }
        registers[GPLEV0] = levels;
        usleep(100);
    }
    return unused;
}

/* `pi` is 4 or 5; a Pi 5 has other registers, which are not here. */
int pins_create(const char *boards, int pi) {
    char path[512];
    const char *text = pi == 4 ? PI_4 : PI_5;
    FILE *model = file(path, sizeof path, boards, "model") ? fopen(path, "w") : NULL;
    if (model == NULL || fwrite(text, 1, sizeof PI_4, model) != sizeof PI_4 || fclose(model) != 0) {
        return -1;
    }
    int fd = file(path, sizeof path, boards, "gpiomem") ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    if (fd < 0 || ftruncate(fd, PAGE) != 0) {
        return -1;
    }
    void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    pthread_t thread;
    memset(wired, WIRE_OPEN, sizeof wired);
    snprintf(created, sizeof created, "%s", boards);
    int first = registers == NULL;
    registers = at;
    return at == MAP_FAILED || (first && pthread_create(&thread, NULL, play, NULL) != 0) ? -1 : 0;
}

void pins_wire(int pin, int wire) { wired[pin] = (uint8_t)wire; }
int pins_high(int pin) { return registers != NULL && (registers[GPLEV0] >> pin & 1); }
double pins_rose(int pin) { return rose[pin]; }
int pins_is_output(int pin) { return registers != NULL && mode(pin) == OUTPUT; }

/* --- what the driver's process calls */

static void attach(void) {
    char path[512];
    const char *boards = getenv("I2C_BOARDS");
    if (registers != NULL) {
        return;
    }
    int fd = boards != NULL && file(path, sizeof path, boards, "gpiomem") ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        abort();
    }
    close(fd);
    registers = at;
}

static void replace(int at, uint32_t mask, int shift, uint32_t value) {
    __atomic_and_fetch(&registers[at], ~(mask << shift), __ATOMIC_SEQ_CST);
    __atomic_or_fetch(&registers[at], value << shift, __ATOMIC_SEQ_CST);
}

void pins_set(int pin, int high) {
    attach();
    __atomic_or_fetch(&registers[high ? GPSET0 : GPCLR0], 1u << pin, __ATOMIC_SEQ_CST);
}

void pins_configure(int pin, int is_output, int is_pulled_up) {
    attach();
    replace(GPPUPPDN0 + pin / 16, 3, pin % 16 * 2, is_pulled_up ? PULL_UP : 0);
    replace(GPFSEL0 + pin / 10, 7, pin % 10 * 3, is_output ? OUTPUT : INPUT);
}

void pins_make_input(int pin) { replace(GPFSEL0 + pin / 10, 7, pin % 10 * 3, INPUT); }

int pins_level(int pin) {
    attach();
    return pins_high(pin);
}

const char *pins_instead_of(const char *path, char *into, unsigned long size) {
    static const char *const files[][2] = {
        { "/dev/gpiomem", "gpiomem" },
        { "/sys/firmware/devicetree/base/compatible", "model" },
        { "/proc/cpuinfo", "model" },
    };
    const char *boards = getenv("I2C_BOARDS"), *chip = chip_instead_of(path, into);
    if (chip != NULL) {
        return chip;
    }
    for (size_t i = 0; boards != NULL && i < sizeof files / sizeof *files; i++) {
        if (strcmp(path, files[i][0]) == 0 && file(into, size, boards, files[i][1]) && access(into, F_OK) == 0) {
            return into;
        }
    }
    return strcmp(path, "/dev/gpiochip0") == 0 && boards != NULL ? "/dev/null" : path;
}

void pins_opened(const char *path, int fd) {
    if (strcmp(path, "/dev/gpiochip0") == 0) {
        chip_fd = fd;
    }
}

/* An errno, or -1 for what is none of ours. */
int pins_ioctl(int fd, unsigned long request, void *argument) {
    int of_chip = chip_ioctl(fd, request, argument);
    if (of_chip >= 0 || fd < 0 || fd != chip_fd || request != GPIO_GET_CHIPINFO_IOCTL) {
        return of_chip;
    }
    struct gpiochip_info info = { .name = "gpiochip0", .label = "pinctrl-bcm2711", .lines = 58 };
    memcpy(argument, &info, sizeof info);
    return 0;
}
