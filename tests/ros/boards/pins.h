/* See pins.c. */
#ifndef PINS_H
#define PINS_H

/* What is wired to a pin outside: nothing, ground, a supply, or a resistor to the supply. */
enum wire { WIRE_OPEN, WIRE_LOW, WIRE_HIGH, WIRE_PULLED_UP };

int pins_create(const char *boards, int pi);
void pins_wire(int pin, int wire);
int pins_high(int pin);
/* When a pin last went from low to high, on the monotonic clock, s. */
double pins_rose(int pin);
int pins_is_output(int pin);

const char *pins_instead_of(const char *path, char *into, unsigned long size);
void pins_opened(const char *path, int fd);
int pins_ioctl(int fd, unsigned long request, void *argument);

/* The registers, as gpio_chips.c sets and reads them. */
void pins_set(int pin, int high);
void pins_configure(int pin, int is_output, int is_pulled_up);
void pins_make_input(int pin);
int pins_level(int pin);

/* See gpio_chips.c. */
const char *chip_instead_of(const char *path, char *into);
void chip_free_lines(const char *boards);
int chip_ioctl(int fd, unsigned long request, void *argument);

#endif
