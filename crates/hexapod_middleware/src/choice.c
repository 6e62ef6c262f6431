/* rcl ends the process while it is loaded, before main, where RMW_IMPLEMENTATION names a middleware that is not there.
   `hexapod doctor` is to say so instead: it hides the choice from rcl, and finds it again in another variable.

   The loader calls what stands in .preinit_array before it initialises the first library. src/choice.rs names this file,
   so that it is linked. */
#include <string.h>

void hexapod_choice(void)
{
}

#ifdef __GLIBC__
static const char NAME[] = "RMW_IMPLEMENTATION=", HIDDEN[] = "HIDDEN_IMPLEMENTATION=";

static void hide(int argc, char **argv, char **variables)
{
    if (argc < 2 || strcmp(argv[1], "doctor") != 0) return;
    static char kept[256];
    for (; *variables; variables++) {
        const char *value = *variables + sizeof NAME - 1;
        if (strncmp(*variables, NAME, sizeof NAME - 1) == 0 && strlen(value) < sizeof kept - sizeof HIDDEN) {
            *variables = strcat(strcpy(kept, HIDDEN), value);
        }
    }
}

__attribute__((section(".preinit_array"), used)) static void (*const hide_first)(int, char **, char **) = hide;
#endif
