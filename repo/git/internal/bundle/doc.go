// Package bundle carries objects from one repository to another: it lists the objects that the other
// side lacks, and packs and unpacks exactly those.
//
// Pack is deterministic: the same roots give the same bytes. Unpack trusts no number in a pack and
// stores nothing of an invalid one. An *Error says in words for people why a pack was not made or was
// refused.
package bundle
