/* rcl ends the process while it is loaded, before main, where RMW_IMPLEMENTATION names a middleware that is not there: also one
   that needs no ROS, or that is to say what is missing. So the variable has another name until all libraries are loaded.

   The loader calls what stands in .preinit_array before it initialises the first library, and the constructors of an executable
   after all of them. src/choice.rs names this file, so that it is linked. */
#include <string.h>

void hexapod_choice(void)
{
}

#ifdef __GLIBC__
static const char NAME[] = "RMW_IMPLEMENTATION=";
static char *hidden;

static void hide(int argc, char **argv, char **variables)
{
    (void)argc, (void)argv;
    for (; *variables && !hidden; variables++) {
        if (strncmp(*variables, NAME, sizeof NAME - 1) == 0) hidden = *variables;
    }
    if (hidden) *hidden = '_';
}

__attribute__((constructor)) static void show(void)
{
    if (hidden) *hidden = NAME[0];
}

__attribute__((section(".preinit_array"), used)) static void (*const hide_first)(int, char **, char **) = hide;
#endif
