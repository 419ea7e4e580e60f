/**
 * Breaks processes, networks and servers under load, and checks from outside what was
 * promised. {@link dev.jobs.lab.FaultLab} is its command line; a
 * {@link dev.jobs.lab.Trial} is one run on one kind of server;
 * {@link dev.jobs.lab.Checker} reads the ledgers.
 */
@NullMarked
package dev.jobs.lab;

import org.jspecify.annotations.NullMarked;
