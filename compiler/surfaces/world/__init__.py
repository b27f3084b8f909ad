"""Γ while a text is written: scopes, what is bound in them, and the promises that references before their binding make.

    values.py     what a local can hold
    frame.py      one open scope
    base.py       what never changes while a text is written: the surface, its environment, indexes of both
    supplies.py   what can still be bound in a scope, by owners of names
    promises.py   whether all promises of a scope can still be kept
    binding.py    binding, merging, giving out results, settling
    lookup.py     where a reference is found
    offers.py     all names that a slot takes
    world.py      the operations, on immutable worlds

What the notation leaves open, as it is decided here:

* One sort of members to a kind of scope: the names that `ref(SORT, in K)` finds belong to what is bound in K. Bindings
  whose members are not meant (a `WITH` table) go into a scope of another kind.
* A scope to which some slot `feeds` has *supplies*: the names of that slot's sort, in Γ and bound, before any are bound
  in it. While nothing is bound in it it is *early*, then *joining*, and *settled* after `settle`. In a scope without
  supplies (labels of a function) `defer` is possible until it is settled.
* `in K.*`: what an inner scope owns hides the outer ones, and so do the explicit aliases of its results. Through a
  scope that is not settled only names pass that nothing that can still be bound there owns; they are pinned.
* With the parameter `merge` (any value but `no`) names that have to be unique may be owned twice, by one binding each,
  until `merge` has been done; `[merged]` asks that none is left. With the value `all` (for `merge(all)`) nothing may be
  bound that has columns without names: what they are called, and so how many are merged, is not known.
* A scope opened with `merge = may` counts on merges: until `separate` or `settle`, what keeps a promise may own members
  that are kept already. That rules bind with `merge` and merge by name as long is for the surface to see to. Of the
  owners of a pinned member all but one have merged it. What feeds a scope is bound there with the parameter `merge`
  that it was opened with.
* In a scope whose number of results is limited and that gives out a star, that is the last result; one name is bound.
* With `once`, a slot that feeds a scope takes what is bound in the scope right around that one, and no further in.
* With `called = word`, `bind` binds under this word.
* `bind(none, …)` binds without a name. `bind(…, members = results)` uses the innermost scope's results up.
* `last` is the scope closed last that gave something out and was not used up, here or around this scope.
* `where` of a reference with `results` asks for marks, for `explicit` (an alias was written) and `plain` (a column
  whose bare name is its own). Without `where`, results are offered that are explicit or plain. With `unique`, names
  that two bindings of the scope own are not offered. References of the sort `Ordinal` are
  the numbers 1 … n; behind a star, `where` lets through those only that are sure.
* `[marked(flag)]`: the mark is set, or a result given out carries it.
* `want` is a number, `last`, `results` (of the innermost scope), `outer` (what the innermost scope wants), `param`, a
  local (numbers of its name: least, most), or the name of a parameter that holds one of these.
* An export gives as many of its arguments as are there: `export(c, a)` without a local `a` is `export(c)`.
* `fresh(SORT, shape TOKEN, not S)` with the members S of a scope is a text that no name is spelled like: nothing that
  is bound later in a scope that is not settled may own it.
* `export(all, of = t)` of a name of Γ leaves out members with the attribute `generated`: it counts what has to be
  filled.
* A fresh name that its rule binds or exports is offered only if that can be done under it.

Less is offered than might be, never more: names that only a later derived table could bring; in a scope that is early,
a qualifying name is always taken for one of that scope; through a scope that is not settled, no outer names that it
could still own; past its limits (docs/limits.md), only names whose owners are needed anyway.
"""
