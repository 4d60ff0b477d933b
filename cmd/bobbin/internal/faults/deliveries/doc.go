// Package deliveries tests the program with a Slack that delivers events late, twice, shuffled and over
// connections that break, and that refuses or loses API calls. Each event must take effect once, and each
// line must be posted once, in the order of its thread. The package contains only tests.
// BOBBIN_REDELIVERY=seed and BOBBIN_WEATHER="seed lines threads" run other cases.
package deliveries
