/** The machine of ZEPS server session. */
package zeps.wire.zepsserver;
