// Package upgrades tests that today's program takes over what each release left behind when it was killed
// (testdata/releases), and that an older replica stops when a newer version has migrated the database. The
// package contains only tests. make release records a new release.
package upgrades
