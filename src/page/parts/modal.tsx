// A dialog over the page, which Escape or a click beside it closes; its content exists only while it is open.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The dialog. `close` is called when it was closed. */
export function Modal({
  isOpen,
  label,
  close,
  children,
}: {
  readonly isOpen: boolean;
  readonly label: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  // Its own close event arrives later, when it may be open again.
  const closing = useRef(0);
  useEffect(() => {
    const { current } = dialog;
    if (isOpen && current?.open === false) current.showModal();
    if (isOpen || current?.open !== true) return;
    closing.current += 1;
    current.close();
  }, [isOpen]);
  const closed = (): void => {
    if (closing.current > 0) closing.current -= 1;
    else close();
  };
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={closed}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      {isOpen && children}
    </dialog>
  );
}
