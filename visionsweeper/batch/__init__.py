"""Many pictures: a pool of processes, a file of results, and going on where a run stopped."""
