/* GPIO character devices (linux/gpio.h, uAPI v2) for a process started with this library in LD_PRELOAD: the chips are text
 * files in the folder <boards>.chips, one line of text for the label and one for each line: its name, the pin of the header
 * that it is (-1: none), and a stranger who has it ("-": nobody; "name>": who drives it). What is set or read are the registers
 * of pins.c. What a kernel lacks says a file: <boards>.no_v2, the uAPI; <boards>.no_bias, resistors that it can switch.
 *
 * A line that is requested is an open file with a lock: as in the kernel, it is one process's alone until the last copy of
 * the file is closed, goes over a Unix socket to others, and is free once its process is killed. Its pin stays as it was, as
 * with the kernel of Raspberry Pi OS, or becomes an input, as with dtparam=strict_gpiod (<boards>.strict). */
#define _GNU_SOURCE
#include "pins.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST = 512, MAX_LINES = 64 };

struct line {
    char name[32], user[32];
    int pin;
};

struct chip {
    char label[32];
    unsigned lines;
    struct line line[MAX_LINES];
};

/* Below the boards' file, such as ".chips/gpiochip4". */
static const char *below(char *into, const char *format, const void *what) {
    const char *boards = getenv("I2C_BOARDS");
    int size = boards == NULL ? LONGEST : snprintf(into, LONGEST, "%s", boards);
    if (size >= LONGEST || snprintf(into + size, (size_t)(LONGEST - size), format, what) >= LONGEST - size) {
        return NULL;
    }
    return into;
}

static const char *chips(char *into) {
    const char *folder = below(into, ".chips", NULL);
    return folder != NULL && access(folder, F_OK) == 0 ? folder : NULL;
}

const char *chip_instead_of(const char *path, char *into) {
    static const char device[] = "/dev/gpiochip";
    char folder[LONGEST];
    return strncmp(path, device, sizeof device - 1) == 0 && chips(folder) != NULL
               ? below(into, ".chips/%s", path + strlen("/dev/"))
               : NULL;
}

DIR *opendir(const char *path) {
    DIR *(*real)(const char *) = dlsym(RTLD_NEXT, "opendir");
    char folder[LONGEST];
    const char *instead = strcmp(path, "/dev") == 0 ? chips(folder) : NULL;
    return real(instead != NULL ? instead : path);
}

char *realpath(const char *path, char *resolved) {
    char into[LONGEST], target[64];
    const char *chip = chip_instead_of(path, into);
    char *real;
    if (chip == NULL || access(chip, F_OK) != 0) {
        real = canonicalize_file_name(path);
    } else {
        ssize_t size = readlink(chip, target, sizeof target);
        int printed = size < 0 ? asprintf(&real, "%s", path) : asprintf(&real, "/dev/%.*s", (int)size, target);
        real = printed < 0 ? NULL : real;
    }
    if (resolved == NULL || real == NULL) {
        return real;
    }
    strcpy(resolved, real);
    free(real);
    return resolved;
}

/* The file that is open, if its name has `part` in it; what follows that is returned. */
static const char *open_file(int fd, const char *part, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, LONGEST - 1);
    path[size < 0 ? 0 : size] = 0;
    char *found = strstr(path, part);
    return found == NULL ? NULL : found + strlen(part);
}

static int read_chip(const char *path, struct chip *chip) {
    FILE *file = fopen(path, "r");
    memset(chip, 0, sizeof *chip);
    if (file == NULL || fscanf(file, "%31s", chip->label) != 1) {
        return -1;
    }
    for (struct line *line = chip->line; chip->lines < MAX_LINES; chip->lines++, line++) {
        if (fscanf(file, "%31s %d %31s", line->name, &line->pin, line->user) != 3) {
            break;
        }
    }
    return fclose(file);
}

static int line_file(int pin, int flags) {
    char path[LONGEST], number[16];
    snprintf(number, sizeof number, "%d", pin);
    return below(path, ".line%s", number) == NULL ? -1 : open(path, flags | O_CREAT | O_CLOEXEC, 0600);
}

static int flag(const char *name) {
    char path[LONGEST];
    return below(path, ".%s", name) != NULL && access(path, F_OK) == 0;
}

/* Whether a line is free, which then is ours. The hardware looks for that, too, for a moment. */
static int lock(int fd) {
    for (int i = 0; i < 20; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            return 1;
        }
        usleep(100);
    }
    return 0;
}

/* Who has a line, empty if nobody; whether it is one who drives it. */
static int find_user(const struct line *line, char user[32]) {
    strcpy(user, strcmp(line->user, "-") == 0 ? "" : line->user);
    char *drives = strchr(user, '>');
    if (drives != NULL) {
        *drives = 0;
    }
    int fd = line->pin < 0 ? -1 : line_file(line->pin, O_RDONLY);
    if (fd >= 0 && !lock(fd)) {
        ssize_t size = pread(fd, user, 31, 0);
        user[size < 0 ? 0 : size] = 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return drives != NULL;
}

static int inform(const struct chip *chip, struct gpio_v2_line_info *info) {
    if (info->offset >= chip->lines) {
        return EINVAL;
    }
    const struct line *line = &chip->line[info->offset];
    memset(info->name, 0, sizeof info->name);
    strcpy(info->name, strcmp(line->name, "-") == 0 ? "" : line->name);
    int is_driven = find_user(line, info->consumer);
    info->flags = is_driven ? GPIO_V2_LINE_FLAG_OUTPUT : GPIO_V2_LINE_FLAG_INPUT;
    info->flags |= *info->consumer ? GPIO_V2_LINE_FLAG_USED : 0;
    return 0;
}

static int request_line(const struct chip *chip, struct gpio_v2_line_request *request) {
    char user[32];
    const struct line *line = &chip->line[request->offsets[0] % MAX_LINES];
    if (request->num_lines != 1 || request->offsets[0] >= chip->lines || line->pin < 0) {
        return EINVAL;
    }
    if ((request->config.flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP) && flag("no_bias")) {
        return EINVAL;
    }
    find_user(line, user);
    int fd = *user ? -1 : line_file(line->pin, O_RDWR);
    if (fd < 0 || !lock(fd)) {
        close(fd);
        return EBUSY;
    }
    ssize_t size = (ssize_t)strlen(request->consumer);
    if (ftruncate(fd, 0) != 0 || pwrite(fd, request->consumer, (size_t)size, 0) != size) {
        abort();
    }
    uint64_t flags = request->config.flags, values = 0;
    for (uint32_t i = 0; i < request->config.num_attrs; i++) {
        const struct gpio_v2_line_attribute *attribute = &request->config.attrs[i].attr;
        flags = attribute->id == GPIO_V2_LINE_ATTR_ID_FLAGS ? attribute->flags : flags;
        values = attribute->id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES ? attribute->values : values;
    }
    if (flags & GPIO_V2_LINE_FLAG_OUTPUT) {
        pins_set(line->pin, (int)(values & 1));
    }
    pins_configure(line->pin, (flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0, (flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP) != 0);
    request->fd = fd;
    return 0;
}

static int line_values(int fd, unsigned long request, struct gpio_v2_line_values *values) {
    char path[LONGEST];
    const char *pin = open_file(fd, ".line", path);
    if (pin == NULL) {
        return ENOTTY;
    }
    int number = atoi(pin);
    if (flag("gone")) {
        return ENODEV;
    }
    if (request == GPIO_V2_LINE_SET_VALUES_IOCTL) {
        pins_set(number, (int)(values->bits & 1));
    } else {
        values->bits = (uint64_t)pins_level(number);
    }
    return 0;
}

/* Makes inputs of pins whose lines nobody has any more, in the test's process. */
void chip_free_lines(const char *boards) {
    char path[LONGEST];
    snprintf(path, sizeof path, "%s.strict", boards);
    for (int pin = 0; access(path, F_OK) == 0 && pin < 28; pin++) {
        char line[LONGEST];
        snprintf(line, sizeof line, "%s.line%d", boards, pin);
        int fd = open(line, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            pins_make_input(pin);
        }
        if (fd >= 0) {
            close(fd);
        }
    }
}

/* An errno, or -1 for what is none of ours. */
int chip_ioctl(int fd, unsigned long request, void *argument) {
    char path[LONGEST];
    struct chip chip;
    if (request == GPIO_V2_LINE_SET_VALUES_IOCTL || request == GPIO_V2_LINE_GET_VALUES_IOCTL) {
        return line_values(fd, request, argument);
    }
    if (request != GPIO_GET_CHIPINFO_IOCTL && request != GPIO_V2_GET_LINEINFO_IOCTL && request != GPIO_V2_GET_LINE_IOCTL) {
        return -1;
    }
    const char *name = open_file(fd, ".chips/", path);
    if (name == NULL) {
        return -1;
    }
    if (request != GPIO_GET_CHIPINFO_IOCTL && flag("no_v2")) {
        return EINVAL;
    }
    if (read_chip(path, &chip) != 0) {
        return ENODEV;
    }
    if (request == GPIO_GET_CHIPINFO_IOCTL) {
        struct gpiochip_info *info = argument;
        memset(info, 0, sizeof *info);
        snprintf(info->name, sizeof info->name, "%.31s", name);
        strcpy(info->label, chip.label);
        info->lines = chip.lines;
        return 0;
    }
    return request == GPIO_V2_GET_LINE_IOCTL ? request_line(&chip, argument) : inform(&chip, argument);
}
