/** The machine of ZMTP connection of a publisher. */
package zeps.wire.zmtppublisher;
