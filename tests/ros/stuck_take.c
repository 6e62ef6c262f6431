/* A thread that never comes back from the middleware: once the file that STUCK_FILE names holds the name of a topic or a
   service, whoever takes from it stays in there. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*take_t)(const void *, void *, void *, void *);
typedef int (*take_request_t)(const void *, void *, void *);
typedef const char *(*name_t)(const void *);

static void *next(const char *symbol)
{
    return dlsym(RTLD_NEXT, symbol);
}

static void stay_if_named(const char *name)
{
    char wanted[256] = "";
    const char *path = getenv("STUCK_FILE");
    int file = path ? open(path, O_RDONLY) : -1;
    if (file < 0)
        return;
    ssize_t length = read(file, wanted, sizeof wanted - 1);
    close(file);
    if (length > 0 && name && strcmp(name, wanted) == 0)
        for (;;)
            pause();
}

int rcl_take(const void *subscription, void *message, void *info, void *allocation)
{
    stay_if_named(((name_t)next("rcl_subscription_get_topic_name"))(subscription));
    return ((take_t)next("rcl_take"))(subscription, message, info, allocation);
}

int rcl_take_request_with_info(const void *service, void *info, void *request)
{
    stay_if_named(((name_t)next("rcl_service_get_service_name"))(service));
    return ((take_request_t)next("rcl_take_request_with_info"))(service, info, request);
}
