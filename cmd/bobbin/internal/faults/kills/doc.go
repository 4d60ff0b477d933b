// Package kills is tests alone: many sessions go from report to push while the built program
// is killed, frozen and told to stop, at random and at each point that its source names
// (//crash:), while its Postgres is restarted or fails over, clocks are off, disks are full,
// or it works for very long. Nothing may be lost, and nothing may happen twice. Each
// promise has a control: the same run with one guard taken away is found out.
//
// BOBBIN_CHAOS="seed percent" plays a larger part, BOBBIN_CLOCKS=1 the clocks, BOBBIN_SOAK
// a number of sessions; make chaos plays all.
package kills
