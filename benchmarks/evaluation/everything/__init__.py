"""Every method on every data set that it can take, with its default parameters.

k is the number of classes. Methods that combine given clusterings have the same ones:
those of the default generator, made once for a data set and a seed, and their seconds
do not contain them. Methods that take constraints get as many pairs as there are
objects, drawn from the classes; these are no fair rivals of the others. A method for
networks that needs clusterings gets communities, one for trees gets dendrograms of nine
kinds. ``k-means`` (best of ten starts; views side by side, series flattened) is what
one would have done without an ensemble.

Seed comes after seed, and small data sets before large ones: a run that is stopped has
seen the methods alike. The few methods that take as long as all others together have
their first seed after that of the others, and the rest of theirs at the end. Kernels
are compiled before, on tiny data, so that no time contains it.
"""
