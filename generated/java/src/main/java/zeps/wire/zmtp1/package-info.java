/** The messages of ZMTP 1.0. */
package zeps.wire.zmtp1;
