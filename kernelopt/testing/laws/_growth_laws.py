"""Laws of a family that kernels join: each part stays the same kernel in the larger, or smaller, family."""

import attrs
import numpy as np

from kernelopt.testing._family_case import FamilyCase
from kernelopt.testing._laws import demand, untouched
from kernelopt.testing._skip import skip


class GrowthLaws(FamilyCase):
    """Laws of `restrained`, `grown`, `pruned`, `resumed`, and of the methods by which kernels join at once."""

    def test_a_restrained_family_has_kernels_of_the_whole(self) -> None:
        """A part of `restrained()`, such as its centre, is the same kernel in the whole family."""
        sample = self.sample()
        family = sample.family.restrained()
        if family is sample.family:
            skip(f"restrained of {type(family).__name__} is the family itself")
        Z, part = self.new_rows(sample.rng, sample.X), family.center()
        got, wanted = (one.cross(part, Z, sample.X) for one in (family, sample.family))
        detail = "a part of restrained() must be the same kernel in the family itself"
        demand(np.allclose(got, wanted, rtol=1e-9, atol=1e-12), "restrained", detail)

    def test_a_family_grows_around_its_kernel(self) -> None:
        """`grown` and `pruned` keep the kernel, and return families that are prepared."""
        sample = self.sample()
        if not sample.family.grows:
            sample = attrs.evolve(sample, family=sample.family.restrained())
        if not sample.family.grows:
            skip(f"{type(sample.family).__name__} does not grow")
        Z, V = self.new_rows(sample.rng, sample.X), sample.rng.normal(size=(len(sample.X), 2))
        wanted = sample.family.cross(sample.part, Z, sample.X)
        with untouched("inputs-untouched", "grown", part=sample.part, family=sample.family, X=sample.X, V=V):
            larger = sample.family.grown(sample.part, sample.X, V)
        if larger is None:
            skip("grown adds no kernel for these rows")
        for (family, part), name in ((larger, "grown"), (larger[0].pruned(larger[1]), "pruned")):
            close = np.allclose(family.cross(part, Z, sample.X), wanted, rtol=1e-9, atol=1e-12)
            demand(close, "grown", f"{name} must give a part that is the same kernel as before")

    def test_a_resumed_family_has_the_earlier_kernel(self) -> None:
        """The family that `resumed` returns has the kernel of the earlier family, which may have grown."""
        sample = self.sample()
        X, begun = sample.X, sample.family.restrained()
        V, weight = sample.rng.normal(size=(len(X), 2)), np.ones(len(X))
        larger = begun.grown(begun.center(), X, V)
        earlier = begun if larger is None else larger[0]
        earlier = earlier.seasonal(X, weight, np.arange(X.shape[1])) or earlier
        earlier = earlier.offered(X, weight) or earlier
        earlier = earlier.categorised(X, V, weight) or earlier
        earlier = earlier.selected(X, V, weight) or earlier
        earlier = earlier.correlated(X, V, weight) or earlier
        earlier = earlier.sparse(X, V, weight) or earlier
        earlier = earlier.adapted(X, V, weight) or earlier
        earlier = earlier.parted(X, V, weight) or earlier
        Z, part = self.new_rows(sample.rng, X), earlier.center()
        with untouched("inputs-untouched", "resumed", family=begun, other=earlier, part=part):
            found = begun.resumed(earlier, part)
        if found is None:
            skip("resumed gives no family for these rows")
        got, wanted = (family.cross(own, Z, X) for family, own in (found, (earlier, part)))
        detail = "the part that is returned must be the same kernel in the family that is returned"
        demand(np.allclose(got, wanted, rtol=1e-9, atol=1e-12), "resumed", detail)

    def test_a_family_that_kernels_join_has_the_same_kernels(self) -> None:
        """Kernels that join by `seasonal`, `offered` and the methods like them change no part of a family."""
        sample = self.sample()
        Z, T = self.new_rows(sample.rng, sample.X), sample.rng.normal(size=(len(sample.X), 2))
        wanted, weight = sample.family.cross(sample.part, Z, sample.X), np.ones(len(sample.X))
        joined, dates = False, np.arange(sample.X.shape[1])
        of_rows = {"seasonal": (weight, dates), "offered": (weight,)}
        for name in (*of_rows, "categorised", "selected", "correlated", "sparse", "adapted", "parted"):
            given = of_rows.get(name, (T, weight))
            with untouched("inputs-untouched", name, family=sample.family, X=sample.X, T=T, weight=weight, dates=dates):
                larger = getattr(sample.family, name)(sample.X, *given)
            if larger is None:
                continue
            joined = True
            close = np.allclose(larger.cross(sample.part, Z, sample.X), wanted, rtol=1e-9, atol=1e-12)
            demand(close, name, "a part must stay the same kernel")
            new = larger.center()
            got, alone = larger.cross(new, Z, sample.X), larger.cross(new, Z[:1], sample.X)
            demand(
                np.allclose(got[:1], alone, rtol=1e-9, atol=1e-12), name, "a row must be seen as it is without others"
            )
        if not joined:
            skip(f"no kernels join {type(sample.family).__name__} on these rows")
