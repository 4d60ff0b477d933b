// Package catalog holds the repositories that a session may be about: which of them its thread means,
// which the channel may see, and how the branch of its work is called.
package catalog
