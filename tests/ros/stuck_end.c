/* A middleware that hangs when a node is taken down, as Fast DDS did: its thread spins, in real time where that is granted. */
int rmw_destroy_node(void *node)
{
    for (volatile int spins = 1; spins;)
        (void)node;
    return 0;
}
