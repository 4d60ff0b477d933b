// Package upgrades tests that today's program takes over what each release left behind when it
// was killed (testdata/releases), and that an older replica makes way. The package has tests
// alone. make release records a new release.
package upgrades
