// Package bundle carries objects from one repository to another: it lists what the other
// side lacks, and packs and unpacks exactly that.
//
// Pack is deterministic: the same roots give the same bytes. Unpack believes no number in a
// pack and keeps nothing of one that is not sound. *Error says in words for people why a
// pack was not made or not taken.
package bundle
