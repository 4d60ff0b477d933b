// Package kills tests the program while it is killed, frozen and told to stop. Many sessions go from report
// to push while the built program dies at random and at each point that its source names (failpoint.Crash), its
// Postgres is restarted or fails over, clocks are wrong, disks are full, or it works for very long. Nothing
// may be lost, and nothing may happen twice. Each promise has a control: the same run with one guard disabled
// must show a fault. The package contains only tests.
//
// BOBBIN_EVERY=1 stops the program once at each point, BOBBIN_CHAOS="seed percent" runs a larger part,
// BOBBIN_CLOCKS=1 the clock tests, and BOBBIN_SOAK a number of sessions; make chaos runs everything.
package kills
