/* A getenv() of the program's own, so that it sees whether the library reads a variable of the environment. */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char variables[1024];

char *getenv(const char *name)
{
    strncat(variables, name, sizeof variables - strlen(variables) - 2);
    strcat(variables, " ");
    return NULL;
}

static inline void nothing_was_read(void)
{
    if (variables[0] != 0) {
        fprintf(stderr, "variables of the environment were read: %s\n", variables);
        exit(1);
    }
}

#endif
