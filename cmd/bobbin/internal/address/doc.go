// Package address judges the addresses that people write into the configuration and the
// environment: of repositories, their branches and pages, of services and of databases. It
// asks nobody; what is wrong with an address is said without the secret that it may hold.
package address
