"""The load: which jobs are offered, when they are meant to be, and the processes that offer them."""
