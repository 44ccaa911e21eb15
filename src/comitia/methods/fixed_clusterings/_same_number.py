"""Methods whose clusterings all have as many clusters as the consensus."""

from sklearn.base import clone

from comitia.base import EnsembleMethod
from comitia.methods._types import Data, Ensemble, Rng
from comitia.partition import choose_n_clusters

__all__ = ["SameNumberOfClusters"]


class SameNumberOfClusters(EnsembleMethod):
    """Finds the number for a method whose generator has to know it.

    The generator of such a method takes ``n_clusters`` from it, and draws a number for
    each clustering when that is None. The eigengap of these clusterings then says which
    number all of the next ones have.
    """

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        if self.n_clusters is not None:
            return super()._generate(X, rng)
        generator = self._seeded_generator(rng)
        n_clusters = choose_n_clusters(generator.generate(X))
        generator = clone(generator).set_params(
            n_clusters=n_clusters, random_state=rng.randint(2**31 - 1)
        )
        return self._run_generator(generator, X)
